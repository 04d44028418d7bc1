// Runs a provider in its own process, for browser tests: `SUBJECT REDIRECT-URI`. The subject signs in. Prints its
// address.
import { startIdentityProvider } from './identity-provider.ts'

const provider = await startIdentityProvider(process.argv[3] ?? '')
provider.people['emily'] = {
  email: 'emily@example.org',
  email_verified: true,
  name: 'Emily Dickinson',
  groups: ['staff'],
}
provider.people['stranger'] = { email: 'stranger@example.org', email_verified: true }
provider.signsIn(process.argv[2] ?? 'emily')
process.stdout.write(`issuer ${provider.issuer}\n`)
