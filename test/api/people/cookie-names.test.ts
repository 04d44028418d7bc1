import { expect } from 'chai'
import { addAdministrator, PASSWORD } from '../../support/admin-client.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

const SESSION = '/admin/session'
const OWN = { 'sec-fetch-site': 'same-origin' }
const USER = { username: 'ann', email: 'ann@example.org', password: 'secret of ann' }
const REGISTER = '/api/auth/local/register'
const REFRESH = '/api/auth/refresh'

/** The cookies of a browser for one host. Cookies ignore the port. */
class Jar {
  readonly #cookies = new Map<string, string>()

  take({ headers }: Answer): void {
    for (const set of headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (set.includes('Max-Age=0;')) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
  }

  rename(from: string, to: string): void {
    const value = this.#cookies.get(from)
    if (value === undefined) throw new Error(`there is no cookie ${from}`)
    this.#cookies.delete(from)
    this.#cookies.set(to, value)
  }

  get names(): readonly string[] {
    return [...this.#cookies.keys()].sort()
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }
}

for (const [scheme, prefix] of [
  ['http', ''],
  ['https', '__Host-'],
] as const) {
  describe(`cookies of several servers on one host, over ${scheme}`, () => {
    let one: TestServer
    let other: TestServer
    let jar: Jar
    const start = async (label: string, environment: Record<string, string>) => {
      const server = await serve(label, {
        contentTypes: { note: declare('note', { title: { type: 'string' } }) },
        environment: {
          RATE_LIMIT: 'off',
          LOG_LEVEL: 'silent',
          UP_JWT_MANAGEMENT: 'refresh',
          UP_SESSIONS_HTTPONLY: 'on',
          CORS_ORIGIN: 'https://app.example.org',
          ...environment,
        },
      })
      await addAdministrator(server, 'Ada', ['administrator'])
      return server
    }
    before(async () => {
      one = await start('cookies_one', { PUBLIC_URL: `${scheme}://cms.example.org` })
      other = await start('cookies_other', { PUBLIC_URL: `${scheme}://cms.example.org:8443` })
    })
    after(async () => {
      await one.close()
      await other.close()
    })
    beforeEach(() => {
      jar = new Jar()
    })

    const send = async (
      server: TestServer,
      method: string,
      target: string,
      body?: object,
    ): Promise<Answer> => {
      const headers = { ...OWN, cookie: jar.cookie }
      const sent = { token: null, headers, ...(body !== undefined && { body }) }
      const answer = await server.send(method, target, sent)
      jar.take(answer)
      return answer
    }
    const signIn = async (server: TestServer): Promise<void> => {
      const body = { email: 'ada@example.org', password: PASSWORD }
      expect((await send(server, 'POST', SESSION, body)).status).to.equal(200)
    }
    const isIn = async (server: TestServer): Promise<boolean> =>
      (await send(server, 'GET', SESSION)).status === 200

    it('keeps administrators signed in on both servers', async () => {
      await signIn(one)
      await signIn(other)
      expect(jar.names).to.include.members([`${prefix}quire_admin`, `${prefix}quire_admin_8443`])
      expect([await isIn(one), await isIn(other)]).to.deep.equal([true, true])
      await send(other, 'DELETE', SESSION)
      expect([await isIn(one), await isIn(other)]).to.deep.equal([true, false])
      expect(jar.names).to.include(`${prefix}quire_admin`)
    })

    it('keeps a session with the former cookie name', async () => {
      await signIn(other)
      jar.rename(`${prefix}quire_admin_8443`, `${prefix}quire_admin`)
      expect(await isIn(other)).to.equal(true)
      await send(other, 'DELETE', SESSION)
      expect(jar.names).to.not.include(`${prefix}quire_admin`)
      expect(await isIn(other)).to.equal(false)
    })

    it('keeps end users signed in on both servers', async () => {
      const refreshed = async (server: TestServer): Promise<number> =>
        (await send(server, 'POST', REFRESH, {})).status
      await send(one, 'POST', REGISTER, USER)
      expect(await refreshed(other), 'the cookie of another server').to.equal(401)
      expect(await refreshed(one)).to.equal(200)
      await send(other, 'POST', REGISTER, USER)
      expect(jar.names).to.include.members(['strapi_up_refresh', 'strapi_up_refresh_8443'])
      expect([await refreshed(one), await refreshed(other)]).to.deep.equal([200, 200])
    })
  })
}
