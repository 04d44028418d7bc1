// `SUBJECT REDIRECT-URI`: a provider in a process of its own, for browsers, in which the subject signs in. It prints where it is.
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
