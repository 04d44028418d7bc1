import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import {
  addAdministrator,
  addRole,
  asAdministrator,
  cookieOf,
  PASSWORD,
  signIn,
} from '../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'

const NOTE = { note: declare('note', { title: { type: 'string' } }) }
const OWN = { 'sec-fetch-site': 'same-origin' }
const SESSION = '/admin/session'

describe('sessions of administrators', () => {
  let server: TestServer
  let database: MongoClient
  const rows = (name: string) => database.db(server.database).collection(name)

  before(async () => {
    server = await serve('admin_sessions', {
      contentTypes: NOTE,
      environment: { RATE_LIMIT: 'off', PUBLIC_URL: 'https://cms.example.org' },
    })
    database = await MongoClient.connect(server.uri)
    await addAdministrator(server, 'Ada', ['administrator'])
  })
  after(async () => {
    await database.close()
    await server.close()
  })

  const enter = (body: object, headers: Readonly<Record<string, string>> = OWN): Promise<Answer> =>
    server.send('POST', SESSION, { token: null, body, headers })
  const ada = { email: 'ada@example.org', password: PASSWORD }

  it('starts with an email in any case and a password, and returns the administrator and the permissions', async () => {
    const answer = await enter({ ...ada, email: 'ADA@Example.org' })
    expect(answer.status).to.equal(200)
    const { administrator, permissions } = answer.body.data
    expect(administrator).to.include({ name: 'Ada', email: 'ada@example.org', language: null })
    expect(administrator.roles).to.deep.equal(['administrator'])
    expect(permissions).to.deep.include({ action: 'api::note.note.create' })
    expect(permissions).to.deep.include({ action: 'admin::administrators.delete' })
    expect(answer.text).to.not.match(/argon|hash/i)
    const again = await asAdministrator(server, cookieOf(answer)).send('GET', SESSION)
    expect(again.body).to.deep.equal(answer.body)
  })

  it('sets a cookie that is HttpOnly, same-site and secure', async () => {
    const [cookie] = (await enter(ada)).headers['set-cookie'] ?? []
    expect(cookie).to.match(
      /^__Host-quire_admin=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  it('stores no token of the cookie', async () => {
    const token = cookieOf(await enter(ada)).split('=')[1] ?? ''
    const stored = JSON.stringify(await rows('quire_admin_sessions').find().toArray())
    expect(token).to.have.length(43)
    expect(stored).to.not.include(token)
  })

  it('responds in the same way to a wrong password, an unknown email and an account without a password', async () => {
    const body = { name: 'Bare', email: 'bare@example.org', roles: ['author'] }
    expect((await server.send('POST', '/admin/administrators', { body })).status).to.equal(201)
    const wrong = await enter({ ...ada, password: 'not that one' })
    expect(wrong.status).to.equal(400)
    expect(wrong.headers['error-code']).to.equal('invalid_login')
    for (const email of ['nobody@example.org', 'bare@example.org']) {
      const answer = await enter({ email, password: 'not that one' })
      expect({ ...answer.body, status: answer.status }).to.deep.equal({
        ...wrong.body,
        status: 400,
      })
      expect(answer.headers).to.not.have.property('set-cookie')
    }
  })

  it('accepts an email and a password as strings only', async () => {
    for (const body of [
      { email: { $ne: null }, password: { $ne: null } },
      { ...ada, roles: ['administrator'] },
      { email: 'ada@example.org' },
      [],
    ]) {
      expect((await enter(body)).status, JSON.stringify(body)).to.equal(400)
    }
  })

  it('issues a new token on every sign-in and ends a planted session', async () => {
    const planted = await signIn(server, ada.email)
    const answer = await enter(ada, { ...OWN, cookie: planted.cookie })
    expect(cookieOf(answer)).to.not.equal(planted.cookie)
    expect((await planted.send('GET', SESSION)).status).to.equal(401)
    const made = `__Host-quire_admin=${'a'.repeat(43)}`
    const other = await enter(ada, { ...OWN, cookie: made })
    expect(cookieOf(other)).to.not.equal(made)
    expect((await asAdministrator(server, made).send('GET', SESSION)).status).to.equal(401)
  })

  it('ends a session on request and lists sessions without their cookies', async () => {
    const [one, other] = [await signIn(server, ada.email), await signIn(server, ada.email)]
    const listed: Json[] = (await one.send('GET', '/admin/me/sessions')).body.data
    expect(listed.filter(({ current }) => current)).to.have.length(1)
    const own: Json[] = (await other.send('GET', '/admin/me/sessions')).body.data
    const { id } = own.find(({ current }) => current)
    expect((await one.send('DELETE', `/admin/me/sessions/${id}`)).status).to.equal(204)
    expect((await other.send('GET', SESSION)).status).to.equal(401)
    const ended = await one.send('DELETE', SESSION)
    expect(ended.status).to.equal(204)
    expect(ended.headers['set-cookie']?.[0]).to.match(/^__Host-quire_admin=; .*Max-Age=0/)
    expect((await one.send('GET', SESSION)).status).to.equal(401)
  })

  it('refuses to end the session of another administrator', async () => {
    await addAdministrator(server, 'Eve', [])
    const [eve, victim] = [await signIn(server, 'eve@example.org'), await signIn(server, ada.email)]
    const [{ id }] = (await victim.send('GET', '/admin/me/sessions')).body.data
    expect((await eve.send('DELETE', `/admin/me/sessions/${id}`)).status).to.equal(404)
    expect((await victim.send('GET', SESSION)).status).to.equal(200)
  })

  it('ends after a period of inactivity', async () => {
    const client = await signIn(server, ada.email)
    await rows('quire_admin_sessions').updateMany({}, { $set: { expiresAt: new Date(0) } })
    expect((await client.send('GET', SESSION)).status).to.equal(401)
  })

  it('ends all other sessions when the administrator changes the password', async () => {
    await addAdministrator(server, 'Bob', ['editor'])
    const [here, there] = [
      await signIn(server, 'bob@example.org'),
      await signIn(server, 'bob@example.org'),
    ]
    const wrong = { currentPassword: 'nonsense', password: 'another password' }
    const refused = await here.send('POST', '/admin/me/password', wrong)
    expect(refused.headers['error-code']).to.equal('wrong_password')
    const right = { currentPassword: PASSWORD, password: 'another password' }
    expect((await here.send('POST', '/admin/me/password', right)).status).to.equal(204)
    expect((await here.send('GET', SESSION)).status).to.equal(200)
    expect((await there.send('GET', SESSION)).status).to.equal(401)
    expect((await enter({ email: 'bob@example.org', password: PASSWORD })).status).to.equal(400)
    await signIn(server, 'bob@example.org', 'another password')
  })

  it('rejects a session that was started with an earlier password', async () => {
    const carol = await addAdministrator(server, 'Carol', [])
    const client = await signIn(server, 'carol@example.org')
    const body = { password: 'another password' }
    // The state after a sign-in that checked the old password just before the change.
    const kept = await rows('quire_admin_sessions').findOne({ administrator: carol.id })
    await server.send('PUT', `/admin/administrators/${carol.id}`, { body })
    await rows('quire_admin_sessions').insertOne(kept as object)
    expect((await client.send('GET', SESSION)).status).to.equal(401)
  })

  it('ends with the deletion of the administrator', async () => {
    const dora = await addAdministrator(server, 'Dora', ['editor'])
    const client = await signIn(server, 'dora@example.org')
    await client.send('PUT', '/admin/me/preferences/columns', { value: ['title'] })
    await server.send('DELETE', `/admin/administrators/${dora.id}`)
    expect((await client.send('GET', SESSION)).status).to.equal(401)
    expect(await rows('quire_admin_preferences').countDocuments()).to.equal(0)
  })

  describe('requests from another site', () => {
    const FORGED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      'a sibling domain': { 'sec-fetch-site': 'same-site', origin: 'https://shop.example.org' },
      'a browser without Sec-Fetch-Site': { origin: 'https://evil.example' },
      'a sandboxed page': { origin: 'null' },
      'a domain that starts with our name': { origin: 'https://cms.example.org.evil.example' },
      'plain http under our name': { origin: 'http://cms.example.org' },
      'our origin with a cross-site request': {
        'sec-fetch-site': 'cross-site',
        origin: 'https://cms.example.org',
      },
    }
    for (const [caller, headers] of Object.entries(FORGED)) {
      it(`refuses reads, changes and sign-ins: ${caller}`, async () => {
        const { cookie } = await signIn(server, ada.email)
        for (const [method, target] of [
          ['POST', '/admin/locales'],
          ['PUT', '/admin/me'],
          ['DELETE', SESSION],
          ['GET', SESSION],
        ] as const) {
          const answer = await server.send(method, target, {
            token: null,
            headers: { ...headers, cookie, 'content-type': 'text/plain' },
            ...(method.startsWith('P') && { body: '{"code":"fr"}' }),
          })
          expect(answer.status, `${method} ${target}`).to.equal(403)
          expect(answer.headers['error-code']).to.equal('cross_site')
          expect(answer.headers).to.not.have.property('access-control-allow-credentials')
        }
        expect((await enter(ada, headers)).status).to.equal(403)
      })
    }

    it('refuses a change by a request without an origin', async () => {
      const { cookie } = await signIn(server, ada.email)
      const send = (method: string, headers = {}) =>
        server.send(method, SESSION, { token: null, headers: { cookie, ...headers } })
      expect((await send('GET')).status).to.equal(200)
      expect((await send('GET', { 'sec-fetch-site': 'none' })).status).to.equal(200)
      expect((await send('DELETE', { 'sec-fetch-site': 'none' })).status).to.equal(403)
      expect((await send('DELETE')).status).to.equal(403)
      expect((await send('DELETE', { origin: 'https://cms.example.org' })).status).to.equal(204)
    })

    it('sends no CORS headers for requests with cookies', async () => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'PUT' }
      for (const target of ['/admin/me', '/ADMIN/me', '//admin/me', '/admin/session']) {
        const answer = await server.send('OPTIONS', target, { token: null, headers })
        expect(answer.headers, target).to.not.have.property('access-control-allow-credentials')
      }
    })
  })

  it('ignores a cookie without the __Host- prefix', async () => {
    const { cookie } = await signIn(server, ada.email)
    const bare = cookie.replace('__Host-', '')
    const answer = await server.send('GET', SESSION, { token: null, headers: { cookie: bare } })
    expect(answer.status).to.equal(401)
  })

  it('ignores the cookie of a request with a bearer token', async () => {
    const { cookie } = await signIn(server, ada.email)
    const headers = { cookie, ...OWN }
    const unknown = { token: 'f'.repeat(256), headers }
    expect((await server.send('GET', SESSION, unknown)).status).to.equal(401)
  })

  it('loses a permission together with the role that granted it', async () => {
    await addRole(server, 'translator', ['api::note.note.find'])
    const { id } = await addAdministrator(server, 'Tom', ['translator'])
    const client = await signIn(server, 'tom@example.org')
    const list = () => client.send('GET', '/admin/content/api::note.note')
    expect((await list()).status).to.equal(200)
    await server.send('PUT', `/admin/administrators/${id}`, { body: { roles: [] } })
    expect((await list()).status).to.equal(403)
  })
})

describe('limits of sign-in attempts to the Studio', () => {
  it('never locks out a known device because of attempts from other devices', async () => {
    const environment = { TRUST_PROXY: '1', LOG_LEVEL: 'silent' }
    const server = await serve('known_devices', { contentTypes: NOTE, environment })
    try {
      let addresses = 0
      const { email } = await addAdministrator(server, 'Ada', ['administrator'])
      await addAdministrator(server, 'Eve', ['administrator'])
      const attempt = (password: string, cookie = '', as = email) => {
        addresses += 1
        const from = `198.51.${Math.floor(addresses / 250)}.${addresses % 250}`
        const headers = { ...OWN, 'x-forwarded-for': from, ...(cookie !== '' && { cookie }) }
        return server.send('POST', SESSION, { token: null, body: { email: as, password }, headers })
      }
      const deviceOf = async (as: string): Promise<string> => {
        const { headers } = await attempt(PASSWORD, '', as)
        const set = (headers['set-cookie'] ?? []).find((one) => one.startsWith('quire_device_'))
        expect(set).to.match(/; HttpOnly; SameSite=Strict$/)
        return set?.split(';')[0] ?? ''
      }
      const lockOut = async (): Promise<void> => {
        for (let tries = 0; tries < 100; tries += 1) {
          if ((await attempt('wrong')).status === 429) return
        }
        throw new Error('attempts on one account are not counted')
      }
      // The minute of the limit may end between two requests, so lock the account again.
      const expectLockedOut = async (cookie: string): Promise<void> => {
        const statuses: number[] = []
        // A known device is refused only after ten attempts.
        while (!statuses.includes(429) && statuses.length < 4) {
          await lockOut()
          statuses.push((await attempt('wrong', cookie)).status)
        }
        expect(statuses, cookie).to.include(429)
      }
      const [own, other] = [await deviceOf(email), await deviceOf('eve@example.org')]
      await lockOut()
      expect((await attempt(PASSWORD, own)).status, 'the known device').to.equal(200)
      const forged = [
        other,
        `${own.slice(0, -1)}${own.endsWith('0') ? '1' : '0'}`,
        'quire_device_1337=x',
      ]
      for (const cookie of forged) await expectLockedOut(cookie)
      const guesses: number[] = []
      while (!guesses.includes(429) && guesses.length < 25) {
        guesses.push((await attempt('wrong', own)).status)
      }
      expect(guesses, 'guesses of the known device').to.include(429)
    } finally {
      await server.close()
    }
  })

  it('counts attempts by network address and by account', async () => {
    const server = await serve('admin_limits', { contentTypes: NOTE })
    try {
      const statuses: number[] = []
      // The minute of the limit may end between two attempts, which restarts the count.
      while (!statuses.includes(429) && statuses.length < 44) {
        const body = { email: 'ada@example.org', password: `guess ${statuses.length}` }
        statuses.push(
          (await server.send('POST', SESSION, { token: null, body, headers: OWN })).status,
        )
      }
      expect(statuses.slice(0, 10)).to.deep.equal(Array(10).fill(400))
      expect(statuses).to.include(429)
    } finally {
      await server.close()
    }
  })
})
