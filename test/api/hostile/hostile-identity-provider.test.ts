import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const BACK = 'https://cms.example.org/admin/oidc/callback'
const CLIENT = 'quire'
const SUBJECT = 'mallory'
const NOW = (): number => Math.floor(Date.now() / 1_000)

/** The response of the provider to a code. Tests change parts of it. */
interface Said {
  readonly claims: Readonly<Record<string, unknown>>
  readonly sign?: (claims: Json) => Promise<string> | string
  readonly userInfo?: object
  readonly noIdToken?: boolean
}

describe('an identity provider with wrong responses', () => {
  let server: TestServer
  let provider: Server
  let issuer: string
  let said: Said = { claims: {} }
  let signGood: (claims: Json) => Promise<string>
  let signByOther: (claims: Json) => Promise<string>
  let keys: readonly JWK[] = []

  before(async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const other = await generateKeyPair('RS256')
    keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }]
    const signBy = (key: typeof privateKey) => (claims: Json) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(key)
    signGood = signBy(privateKey)
    signByOther = signBy(other.privateKey)
    provider = createServer((request, response) => {
      request.resume()
      void answer(request.url ?? '').then((body) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(body))
      })
    }).listen(0, '127.0.0.1')
    await once(provider, 'listening')
    issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
    server = await serve('hostile_provider', {
      contentTypes: { note: declare('note', { title: { type: 'string' } }) },
      environment: {
        RATE_LIMIT: 'off',
        PUBLIC_URL: 'https://cms.example.org',
        OIDC_ISSUER: issuer,
        OIDC_ALLOW_HTTP: 'on',
        OIDC_CLIENT_ID: CLIENT,
        OIDC_CLIENT_SECRET: 'the secret of the client',
        OIDC_ROLES: '*=administrator',
      },
    })
  })
  after(async () => {
    await server.close()
    provider.closeAllConnections()
    provider.close()
  })

  async function answer(url: string): Promise<object> {
    if (url.includes('.well-known')) {
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/me`,
        jwks_uri: `${issuer}/keys`,
        authorization_response_iss_parameter_supported: true,
      }
    }
    if (url.startsWith('/keys')) return { keys }
    if (url.startsWith('/me')) return said.userInfo ?? { sub: SUBJECT }
    const { claims, sign = signGood, noIdToken = false } = said
    const tokens = { access_token: 'access', token_type: 'bearer', expires_in: 60 }
    return noIdToken ? tokens : { ...tokens, id_token: await sign(claims) }
  }

  const leave = async () => {
    const { headers } = await server.send('GET', '/admin/oidc', { token: null })
    const asked = new URL(headers.location ?? '').searchParams
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    return { cookie, state: asked.get('state') ?? '', nonce: asked.get('nonce') ?? '' }
  }
  /** Returns from the provider with a code, these parameters and this cookie. */
  const enter = async (
    saidOf: (nonce: string) => Said,
    { query = {}, cookie }: { query?: Readonly<Record<string, string>>; cookie?: string } = {},
  ) => {
    const left = await leave()
    said = saidOf(left.nonce)
    const back = new URLSearchParams({ code: 'x', state: left.state, iss: issuer, ...query })
    return server.send('GET', `${new URL(BACK).pathname}?${back.toString()}`, {
      token: null,
      headers: { cookie: cookie ?? left.cookie },
    })
  }
  const good = (nonce: string): Readonly<Record<string, unknown>> => ({
    iss: issuer,
    sub: SUBJECT,
    aud: CLIENT,
    nonce,
    iat: NOW(),
    exp: NOW() + 60,
    email: 'mallory@example.org',
    email_verified: true,
  })
  const expectOut = ({ headers }: Awaited<ReturnType<typeof enter>>, why: string): void => {
    expect(headers.location, why).to.match(/^\/studio\/sign-in\?problem=(failed|refused)$/)
    expect(JSON.stringify(headers['set-cookie'] ?? []), why).to.not.include('quire_admin=')
  }

  const WRONG: Readonly<Record<string, (nonce: string) => Said>> = {
    'a token for another client': (nonce) => ({ claims: { ...good(nonce), aud: 'another' } }),
    'a token for several clients that was issued to another': (nonce) => ({
      claims: { ...good(nonce), aud: [CLIENT, 'another'], azp: 'another' },
    }),
    'a token of another issuer': (nonce) => ({
      claims: { ...good(nonce), iss: 'https://evil.example' },
    }),
    'a token of an issuer with the same prefix': (nonce) => ({
      claims: { ...good(nonce), iss: `${issuer}/evil` },
    }),
    'another nonce': () => ({ claims: good('A'.repeat(43)) }),
    'no nonce': (nonce) => {
      const { nonce: _nonce, ...claims } = good(nonce)
      return { claims }
    },
    'an expired token': (nonce) => ({
      claims: { ...good(nonce), iat: NOW() - 7_200, exp: NOW() - 3_600 },
    }),
    'a token without an expiry': (nonce) => {
      const { exp: _exp, ...claims } = good(nonce)
      return { claims }
    },
    'a token that is not valid yet': (nonce) => ({
      claims: { ...good(nonce), nbf: NOW() + 3_600 },
    }),
    'a token without a signature': (nonce) => ({
      claims: good(nonce),
      sign: (claims) => new UnsecuredJWT(claims).encode(),
    }),
    'a token signed with the id of the client': (nonce) => ({
      claims: good(nonce),
      sign: (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(CLIENT.padEnd(32, '\0'))),
    }),
    'a token signed with another key': (nonce) => ({ claims: good(nonce), sign: signByOther }),
    'a token changed after signing': (nonce) => ({
      claims: good(nonce),
      sign: async (claims) => {
        const [header, , signature] = (await signGood(claims)).split('.')
        const changed = { ...claims, email: 'ada@example.org' }
        return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join(
          '.',
        )
      },
    }),
    'no token': (nonce) => ({ claims: good(nonce), noIdToken: true }),
    'a malformed token': (nonce) => ({ claims: good(nonce), sign: () => 'a.b.c' }),
    'no subject': (nonce) => {
      const { sub: _sub, ...claims } = good(nonce)
      return { claims }
    },
    'user info of another subject': (nonce) => {
      const { email: _email, ...claims } = good(nonce)
      const userInfo = { sub: 'ada', email: 'ada@example.org', email_verified: true }
      return { claims, userInfo }
    },
  }
  for (const [why, saidOf] of Object.entries(WRONG)) {
    it(`refuses a sign-in with ${why}`, async () => {
      expectOut(await enter(saidOf), why)
    })
  }

  const REPLIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'of another issuer': { iss: 'https://evil.example' },
    'without the issuer that the provider always sends': { iss: '' },
    'with another state': { state: 'A'.repeat(80) },
    'with an error and a code': { error: 'access_denied' },
    'with a token in the query': { id_token: 'a.b.c', response: 'a.b.c' },
  }
  for (const [label, query] of Object.entries(REPLIES)) {
    it(`refuses a reply ${label}`, async () => {
      expectOut(await enter((nonce) => ({ claims: good(nonce) }), { query }), label)
    })
  }

  it('refuses a reply to the attempt of another browser', async () => {
    const other = await leave()
    const answer = await enter((nonce) => ({ claims: good(nonce) }), { cookie: other.cookie })
    expectOut(answer, 'the cookie of another attempt')
  })

  it('redirects to the provider and the Studio only', async () => {
    const evil = 'https://evil.example/'
    const asked = ['returnTo', 'return_to', 'redirect', 'redirect_uri', 'next', 'url', 'state']
    for (const name of asked) {
      const to = `/admin/oidc?${name}=${encodeURIComponent(evil)}`
      const { headers } = await server.send('GET', to, { token: null })
      const location = new URL(headers.location ?? '')
      expect([location.origin, location.searchParams.get('redirect_uri')], name).to.deep.equal([
        issuer,
        BACK,
      ])
      expect(location.href, name).to.not.include('evil')
    }
    const query = { returnTo: evil, redirect: '//evil.example' }
    const answer = await enter((nonce) => ({ claims: good(nonce) }), { query })
    expect(answer.headers.location).to.equal('/studio')
  })
})
