import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** Claims of each subject. */
export type People = Record<string, Readonly<Record<string, unknown>>>

/** A certified OpenID provider. The subject in `next` signs in without interaction. */
export interface IdentityProvider {
  readonly issuer: string
  readonly people: People
  signsIn(subject: string): void
  close(): Promise<void>
}

export const CLIENT = { id: 'quire', secret: 'the secret of the client' }

export async function startIdentityProvider(
  ...redirectUris: readonly string[]
): Promise<IdentityProvider> {
  const people: People = {}
  let next = ''
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      { client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [...redirectUris] },
    ],
    cookies: { keys: ['of the test'] },
    features: { devInteractions: { enabled: false } },
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups'],
    },
    pkce: { required: () => true },
    interactions: { url: () => '/interaction' },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => Promise.resolve({ sub, ...people[sub] }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const accountId = oidc.session?.accountId ?? ''
      const grant = new oidc.provider.Grant({ clientId: CLIENT.id, accountId })
      grant.addOIDCScope('openid email profile groups')
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  server.on('request', (request, response) => {
    if (request.url !== '/interaction') return void handle(request, response)
    const login = { accountId: next }
    void provider.interactionFinished(request, response, { login })
  })
  return {
    issuer,
    people,
    signsIn: (subject) => {
      next = subject
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Follows the redirects of the provider like a new browser until they lead back, and returns that URL. */
export async function followProvider(from: string, back: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let at = new URL(from)
  for (let steps = 0; steps < 10; steps += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    const to = answer.headers.get('location')
    if (to === null) throw new Error(`${answer.status} ${await answer.text()}`)
    at = new URL(to, at)
    if (at.href.startsWith(back)) return at
  }
  throw new Error('the provider sends nobody back')
}
