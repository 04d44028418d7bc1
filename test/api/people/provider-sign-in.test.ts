import { expect } from 'chai'
import { type Answer, serve, type TestServer } from '../../support/server.ts'
import { startTokenIssuer, type TokenIssuer } from '../../support/token-issuer.ts'

const PAGE = 'https://app.example.org/done'

/** `close` compares each response with the description of the API. */
describe('sign-in with a provider', () => {
  let issuer: TokenIssuer
  let server: TestServer

  before(async () => {
    issuer = await startTokenIssuer()
    server = await serve('provider_sign_in', {
      contentTypes: {},
      environment: {
        OIDC_ALLOW_HTTP: 'on',
        PUBLIC_URL: 'https://cms.example.org',
        SIGN_IN_ACME_ISSUER: issuer.issuer,
        SIGN_IN_ACME_CLIENT_IDS: 'app',
        SIGN_IN_ACME_REDIRECTS: PAGE,
      },
    })
  })
  after(async () => {
    await issuer.close()
    await server.close()
  })

  const tokenOf = (subject: string, email: string): Promise<string> =>
    issuer.sign({ aud: 'app', sub: subject, email, email_verified: true }, new Date())
  const enter = async (subject: string, email: string): Promise<Answer> => {
    const body = { idToken: await tokenOf(subject, email) }
    return server.send('POST', '/api/auth/acme/token', { token: null, body })
  }

  it('responds as described to ID tokens', async () => {
    const { status, body } = await enter('ann', 'ann@example.org')
    expect(status).to.equal(200)
    expect((await enter('eve', 'ann@example.org')).status).to.equal(409)
    expect((await enter('eve', 'eve@example.org')).status).to.equal(200)
    const linked = await server.send('POST', '/api/auth/acme/link', {
      token: null,
      headers: { authorization: `Bearer ${body.jwt}` },
      body: { idToken: await tokenOf('eve', 'eve@example.org') },
    })
    expect(linked.status).to.equal(409)
  })

  it('responds as described to redirects', async () => {
    const start = await server.send('GET', '/api/connect/acme', { token: null })
    expect(start.status).to.equal(302)
    const [cookie = ''] = String(start.headers['set-cookie']).split(';')
    for (const accept of ['text/html', 'text/plain']) {
      const headers = { cookie, accept }
      const back = '/api/connect/acme/callback'
      const answer = await server.send('GET', `${back}?state=wrong`, { token: null, headers })
      const target = `${PAGE}?error=provider_failed`
      expect([answer.status, answer.headers.location]).to.deep.equal([302, target])
    }
  })
})
