import { expect } from 'chai'
import { type Answer, type Json, serveUsers, type UsersServer } from './users-server.ts'

const LOGIN = '/api/auth/local'
const REFRESH = '/api/auth/refresh'
const LOGOUT = '/api/auth/logout'
const SESSIONS = '/api/auth/sessions'
const lifespans = { accessSeconds: 1_800, idleSeconds: 7_200, maxSeconds: 18_000 }

const errorOf = ({ status, body }: Answer): unknown => [status, body.error.name, body.error.message]
const REFUSED = [401, 'UnauthorizedError', 'Invalid refresh token']

describe('sessions of end users', () => {
  let server: UsersServer

  before(async () => {
    server = await serveUsers('sessions', { lifespans })
  })
  after(() => server.close())

  const me = async (jwt: string): Promise<number> =>
    (await server.send('GET', '/api/users/me', undefined, jwt)).status
  const refresh = (refreshToken: unknown, base?: string): Promise<Answer> =>
    server.send('POST', REFRESH, { refreshToken }, null, base)
  const logIn = async (name: string, deviceId?: string): Promise<Json> => {
    const body = { identifier: name, password: `secret of ${name}`, deviceId }
    const answer = await server.send('POST', LOGIN, body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    return answer.body
  }
  const rowsOf = (user: Json): Promise<Json[]> =>
    server.database.collection('quire_sessions').find({ user: user.documentId }).toArray()

  it('return a short-lived access token and a refresh token on login', async () => {
    const { user } = await server.register('ann')
    const body = await logIn('ann')
    expect(Object.keys(body)).to.deep.equal(['jwt', 'refreshToken', 'user'])
    expect(await me(body.jwt)).to.equal(200)
    server.pass(1_800_000 - 1_000)
    expect(await me(body.jwt)).to.equal(200)
    server.pass(1_000)
    expect(await me(body.jwt)).to.equal(401)
    const next = await refresh(body.refreshToken)
    expect([next.status, Object.keys(next.body)]).to.deep.equal([200, ['jwt', 'refreshToken']])
    expect(next.headers.get('cache-control')).to.equal('no-store')
    expect(await me(next.body.jwt)).to.equal(200)
    const stored = JSON.stringify(await rowsOf(user))
    for (const token of [body.refreshToken, next.body.refreshToken]) {
      expect(stored).not.to.include(String(token).split('-')[2])
    }
  })

  it('reject manipulated tokens and tokens of the wrong kind', async () => {
    await server.register('bea')
    const { jwt, refreshToken } = await logIn('bea')
    expect(await me(refreshToken)).to.equal(401)
    const [id, , signature] = String(refreshToken).split('-')
    for (const wrong of [
      jwt,
      `${id}-1-${signature}`,
      `${id}-0-${'0'.repeat(64)}`,
      `${'0'.repeat(32)}-0-${signature}`,
      `${refreshToken}0`,
      String(refreshToken).toUpperCase(),
      'x',
      'x'.repeat(100_000),
    ]) {
      expect(errorOf(await refresh(wrong)), wrong.slice(0, 50)).to.deep.equal(REFUSED)
    }
    for (const missing of [undefined, null, '', 5, { $ne: null }, [refreshToken]]) {
      expect(errorOf(await refresh(missing)), JSON.stringify(missing)).to.deep.equal([
        400,
        'ValidationError',
        'Missing refresh token',
      ])
    }
    expect((await refresh(refreshToken)).status, 'a forgery ends no session').to.equal(200)
  })

  it('end if a refresh token is reused after the grace period', async () => {
    await server.register('cid')
    const [stolen, other] = [await logIn('cid'), await logIn('cid')]
    const second = await refresh(stolen.refreshToken)
    server.pass(10_000)
    expect(errorOf(await refresh(stolen.refreshToken))).to.deep.equal(REFUSED)
    expect(errorOf(await refresh(second.body.refreshToken))).to.deep.equal(REFUSED)
    expect(await me(second.body.jwt), 'access tokens end with it').to.equal(401)
    expect(await me(other.jwt), 'another device').to.equal(200)
    expect((await refresh(other.refreshToken)).status).to.equal(200)
  })

  it('end immediately if a token before the previous one is reused', async () => {
    await server.register('dan')
    const { refreshToken } = await logIn('dan')
    const second = await refresh(refreshToken)
    const third = await refresh(second.body.refreshToken)
    expect(errorOf(await refresh(refreshToken))).to.deep.equal(REFUSED)
    expect(errorOf(await refresh(third.body.refreshToken))).to.deep.equal(REFUSED)
  })

  it('give concurrent refreshes in all processes the same successor', async () => {
    const other = await server.another()
    await server.register('eve')
    const { refreshToken } = await logIn('eve')
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        refresh(refreshToken, index % 2 === 0 ? other : undefined),
      ),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200))
    expect(new Set(answers.map(({ body }) => body.refreshToken)).size).to.equal(1)
    server.pass(9_999)
    expect((await refresh(refreshToken, other)).status, 'an answer that was lost').to.equal(200)
    expect((await refresh(answers[0]?.body.refreshToken)).status).to.equal(200)
  })

  it('end after inactivity and at their maximum age', async () => {
    const { user } = await server.register('fay')
    const idle = await logIn('fay')
    server.pass(7_200_000)
    expect(errorOf(await refresh(idle.refreshToken))).to.deep.equal(REFUSED)
    let { refreshToken } = await logIn('fay')
    for (let hours = 1; hours < 5; hours += 1) {
      server.pass(3_600_000)
      const answer = await refresh(refreshToken)
      expect(answer.status, `${hours} h`).to.equal(200)
      refreshToken = answer.body.refreshToken
    }
    server.pass(3_600_000)
    expect(errorOf(await refresh(refreshToken))).to.deep.equal(REFUSED)
    server.pass(18_000_000)
    await logIn('fay')
    expect(await rowsOf(user), 'what is over is removed').to.have.length(1)
    const all = server.database.collection('quire_sessions')
    expect(await all.countDocuments({ expiresAt: { $lte: server.now() } })).to.equal(0)
  })

  it('end on one device or on all devices', async () => {
    await server.register('gil')
    const [phone, laptop] = [await logIn('gil', 'phone'), await logIn('gil', 'laptop')]
    const out = await server.send('POST', LOGOUT, { deviceId: 'phone' }, laptop.jwt)
    expect([out.status, out.body]).to.deep.equal([200, { ok: true }])
    expect([await me(phone.jwt), await me(laptop.jwt)]).to.deep.equal([401, 200])
    expect(errorOf(await refresh(phone.refreshToken))).to.deep.equal(REFUSED)
    const again = await logIn('gil', 'laptop')
    expect(await me(laptop.jwt), 'one session for a device').to.equal(401)
    const more = await logIn('gil')
    const third = await logIn('gil')
    expect((await server.send('POST', LOGOUT, undefined, third.jwt)).status).to.equal(200)
    expect([await me(third.jwt), await me(again.jwt), await me(more.jwt)]).to.deep.equal([
      401, 200, 200,
    ])
    const all = { scope: 'all' }
    expect((await server.send('POST', LOGOUT, all, again.jwt)).status).to.equal(200)
    for (const { jwt, refreshToken } of [again, more, third]) {
      expect(await me(jwt)).to.equal(401)
      expect(errorOf(await refresh(refreshToken))).to.deep.equal(REFUSED)
    }
    const hostile = await logIn('gil')
    for (const deviceId of [{ $ne: null }, ['phone'], 5, 'x'.repeat(256)]) {
      const answer = await server.send('POST', LOGOUT, { deviceId }, hostile.jwt)
      expect(answer.status, JSON.stringify(deviceId)).to.equal(400)
    }
    for (const scope of ['everything', ['all'], { $ne: 'x' }, 1, null]) {
      const answer = await server.send('POST', LOGOUT, { scope }, hostile.jwt)
      expect(answer.status, JSON.stringify(scope)).to.equal(400)
    }
    expect(await me(hostile.jwt)).to.equal(200)
  })

  it('are listed for their user and can be ended individually', async () => {
    await server.register('lou')
    await server.register('max')
    const [phone, laptop, max] = [
      await logIn('lou', 'phone'),
      await logIn('lou', 'laptop'),
      await logIn('max'),
    ]
    const listed = await server.send('GET', SESSIONS, undefined, laptop.jwt)
    expect(listed.headers.get('cache-control')).to.equal('no-store')
    const [{ id }, ...others] = listed.body.data.filter(
      (one: Json) => one.deviceId === 'phone',
    ) as Json[]
    expect(others).to.deep.equal([])
    expect(Object.keys(listed.body.data[0])).to.deep.equal([
      'id',
      'deviceId',
      'createdAt',
      'refreshedAt',
      'expiresAt',
      'current',
    ])
    const current = listed.body.data.filter((one: Json) => one.current)
    expect(current.map((one: Json) => one.deviceId)).to.deep.equal(['laptop'])
    for (const refresher of [phone, laptop, max]) {
      expect(JSON.stringify(listed.body)).to.not.include(refresher.refreshToken.split('-')[2])
    }
    const end = (which: string, jwt: string | null) =>
      server.send('DELETE', `${SESSIONS}/${which}`, undefined, jwt)
    expect((await end(id, max.jwt)).status, 'the session of another user').to.equal(404)
    expect((await end('x', laptop.jwt)).status).to.equal(404)
    expect((await end(id, 'root-token-of-the-test')).status).to.equal(401)
    expect((await end(id, null)).status).to.equal(403)
    expect(await me(phone.jwt)).to.equal(200)
    expect((await end(id, laptop.jwt)).status).to.equal(204)
    expect((await end(id, laptop.jwt)).status).to.equal(404)
    expect([await me(phone.jwt), await me(laptop.jwt), await me(max.jwt)]).to.deep.equal([
      401, 200, 200,
    ])
    expect(errorOf(await refresh(phone.refreshToken))).to.deep.equal(REFUSED)
  })

  it('use a cookie on request', async () => {
    await server.register('ned')
    const ask = (path: string, body: object, headers: Record<string, string>): Promise<Response> =>
      fetch(server.base + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    const chosen = { 'x-strapi-refresh-cookie': 'httpOnly' }
    const login = { identifier: 'ned', password: 'secret of ned' }
    const entered = await ask(LOGIN, login, chosen)
    const body: Json = await entered.json()
    expect(Object.keys(body)).to.deep.equal(['jwt', 'user'])
    const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    expect(cookie).to.match(/^strapi_up_refresh=[0-9a-f-]+$/)
    expect((await ask(REFRESH, {}, { cookie })).status, 'without the header').to.equal(400)
    const next = await ask(REFRESH, {}, { cookie, ...chosen })
    expect(next.status).to.equal(200)
    expect(next.headers.get('set-cookie')).to.include('HttpOnly')
    expect(Object.keys((await next.json()) as object)).to.deep.equal(['jwt'])
    const wrong = await ask(LOGIN, login, { 'x-strapi-refresh-cookie': 'yes' })
    expect(wrong.status).to.equal(400)
    expect(wrong.headers.get('set-cookie')).to.equal(null)
    const out = await ask(LOGOUT, {}, { ...chosen, authorization: `Bearer ${body.jwt}` })
    expect(out.headers.get('set-cookie')).to.match(/^strapi_up_refresh=; .*Max-Age=0;/)
  })

  it('of other users are not affected by an equal device name', async () => {
    await server.register('hal')
    await server.register('ida')
    const [hal, ida] = [await logIn('hal', 'phone'), await logIn('ida', 'phone')]
    await server.send('POST', LOGOUT, { deviceId: 'phone' }, hal.jwt)
    expect(await me(ida.jwt)).to.equal(200)
  })

  it('end when the password changes, the user is blocked or the user is deleted', async () => {
    const { user } = await server.register('jon')
    const admin = (method: string, body?: object) =>
      server.send(method, `/api/users/${user.id}`, body, 'root-token-of-the-test')
    let old = await logIn('jon')
    const change = {
      currentPassword: 'secret of jon',
      password: 'another secret',
      passwordConfirmation: 'another secret',
    }
    const changed = await server.send('POST', '/api/auth/change-password', change, old.jwt)
    expect(Object.keys(changed.body)).to.deep.equal(['jwt', 'refreshToken', 'user'])
    expect(errorOf(await refresh(old.refreshToken))).to.deep.equal(REFUSED)
    expect((await refresh(changed.body.refreshToken)).status).to.equal(200)
    await admin('PUT', { password: 'secret of jon' })
    old = await logIn('jon')
    await admin('PUT', { blocked: true })
    await admin('PUT', { blocked: false })
    expect(await me(old.jwt), 'unblocked').to.equal(401)
    expect(errorOf(await refresh(old.refreshToken))).to.deep.equal(REFUSED)
    old = await logIn('jon')
    await admin('PUT', { blocked: true })
    expect(errorOf(await refresh(old.refreshToken))).to.deep.equal(REFUSED)
    await admin('PUT', { blocked: false })
    old = await logIn('jon')
    await admin('DELETE')
    expect(errorOf(await refresh(old.refreshToken))).to.deep.equal(REFUSED)
  })

  it('accept a device name on registration but no other parameter', async () => {
    const given = { username: 'kim', email: 'kim@example.org', password: 'secret of kim' }
    const body = { ...given, deviceId: 'phone', role: 1 }
    const refused = await server.send('POST', '/api/auth/local/register', body)
    expect(errorOf(refused)).to.deep.equal([400, 'ValidationError', 'Invalid parameters: role'])
    const made = await server.send('POST', '/api/auth/local/register', { ...given, deviceId: 'p' })
    expect((await rowsOf(made.body.user)).map(({ deviceId }) => deviceId)).to.deep.equal(['p'])
  })
})

describe('sessions of end users in a cookie', () => {
  let server: UsersServer

  before(async () => {
    server = await serveUsers('cookie', { lifespans, inCookie: true })
  })
  after(() => server.close())

  it('never returns a refresh token in a body', async () => {
    await server.register('ann')
    const login = { identifier: 'ann', password: 'secret of ann' }
    const { body, headers } = await server.send('POST', LOGIN, login)
    expect(Object.keys(body)).to.deep.equal(['jwt', 'user'])
    const cookie = /^strapi_up_refresh=([0-9a-f-]+); (.*)$/
    const [, token = '', attributes] = cookie.exec(headers.getSetCookie()[0] ?? '') ?? []
    expect(attributes).to.equal('Path=/x/api/auth; Max-Age=99; HttpOnly; SameSite=Lax; Secure')
    const send = async (path: string, value: string, jwt?: string): Promise<Answer> => {
      const response = await fetch(server.base + path, {
        method: 'POST',
        headers: {
          cookie: `strapi_up_refresh=${value}`,
          ...(jwt !== undefined && { authorization: `Bearer ${jwt}` }),
        },
      })
      const { status, headers: received } = response
      return { status, headers: received, body: await response.json() }
    }
    const next = await send(REFRESH, token)
    expect([next.status, Object.keys(next.body)]).to.deep.equal([200, ['jwt']])
    const [, successor = ''] = cookie.exec(next.headers.get('set-cookie') ?? '') ?? []
    expect(successor).to.match(/^[0-9a-f]{32}-1-/)
    const gone = await send(REFRESH, 'x')
    expect(gone.status).to.equal(401)
    expect(gone.headers.get('set-cookie')).to.match(/^strapi_up_refresh=; .*Max-Age=0;/)
    const out = await send(LOGOUT, successor, next.body.jwt)
    expect(out.headers.get('set-cookie')).to.match(/^strapi_up_refresh=; .*Max-Age=0;/)
    expect((await send(REFRESH, successor)).status).to.equal(401)
  })
})
