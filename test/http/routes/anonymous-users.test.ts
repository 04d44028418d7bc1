import { expect } from 'chai'
import { storeAnonymousUser } from '../../../src/people/accounts/anonymous-sign-in.ts'
import { sweepAnonymous } from '../../../src/people/accounts/sweep-anonymous.ts'
import { findUser } from '../../../src/people/accounts/users.ts'
import { type Answer, serveUsers, type UsersOptions, type UsersServer } from './users-server.ts'

const DAY_MS = 86_400_000
const LIMITS = { perNetwork: 100, max: 100, days: 5 }
const LIFESPANS = { accessSeconds: 1_800, idleSeconds: 8_640_000, maxSeconds: 8_640_000 }
const AUTH = 'plugin::users-permissions.auth'
const GRANTED = [
  'plugin::users-permissions.user.me',
  `${AUTH}.register`,
  `${AUTH}.changePassword`,
  `${AUTH}.refresh`,
]

describe('POST /api/auth/anonymous', () => {
  let server: UsersServer

  const open = async (label: string, options: UsersOptions = {}): Promise<void> => {
    server = await serveUsers(label, { anonymous: LIMITS, ...options })
    if (options.anonymous === null) return
    await server.access.roles.grant('anonymous-user', GRANTED)
  }
  afterEach(() => server.close())

  const enter = (): Promise<Answer> => server.send('POST', '/api/auth/anonymous', {})
  const me = (jwt: string): Promise<Answer> => server.send('GET', '/api/users/me', undefined, jwt)
  const count = (): Promise<number> => server.database.table('up_users').countDocuments({})
  const store = async ({ body }: Answer): Promise<void> => {
    await storeAnonymousUser(server.accounts, body.user)
  }
  const register = (jwt: string, name = 'ann'): Promise<Answer> => {
    const given = { username: name, email: `${name}@example.org`, password: 'secret of ann' }
    return server.send('POST', '/api/auth/local/register', given, jwt)
  }

  it('is off by default', async () => {
    await open('anonymous_off', { anonymous: null })
    expect((await enter()).status).to.equal(404)
    const types = (await server.access.roles.list()).map(({ type }) => type)
    expect(types).to.deep.equal(['authenticated', 'public'])
  })

  it('answers like a sign-in and stores no user', async () => {
    await open('anonymous_token')
    const { status, body } = await enter()
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(Object.keys(body)).to.deep.equal(['jwt', 'user'])
    const { documentId } = body.user
    expect(body.user).to.include({ provider: 'anonymous', email: null, blocked: false })
    expect(body.user.username).to.equal(`anonymous-${documentId}`)
    expect((await me(body.jwt)).body).to.include({ documentId, id: body.user.id })
    expect(await count()).to.equal(0)
    const other = (await enter()).body
    expect(other.user.documentId).not.to.equal(documentId)
    expect(other.user.id).not.to.equal(body.user.id)
  })

  it('stores a user once, with the ids of the token', async () => {
    await open('anonymous_stored')
    const answer = await enter()
    await Promise.all([store(answer), store(answer), store(answer)])
    expect(await count()).to.equal(1)
    const { body } = await me(answer.body.jwt)
    expect(body).to.include({ id: answer.body.user.id, documentId: answer.body.user.documentId })
  })

  it('signs the ids: a token of another key opens nothing', async () => {
    await open('anonymous_signed')
    const { jwt } = (await enter()).body
    const [head, , signature] = jwt.split('.')
    const claims = { id: 1, iat: 1_767_225_600, exp: 1_799_999_999, anon: 'a'.repeat(24) }
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url')
    expect((await me([head, body, signature].join('.'))).status).to.equal(401)
  })

  it('never brings a deleted user back', async () => {
    await open('anonymous_deleted')
    const stored = await enter()
    await store(stored)
    const unstored = await enter()
    for (const { body } of [stored, unstored]) {
      const deleted = await server.send('DELETE', '/api/users/me', undefined, body.jwt)
      expect(deleted.status).to.equal(204)
      expect((await me(body.jwt)).status).to.equal(401)
    }
    const failed: unknown = await store(stored).catch((error: unknown) => error)
    expect(failed).to.include({ status: 401 })
    expect(await count()).to.equal(0)
  })

  it('limits new users of a network in a day', async () => {
    await open('anonymous_network', { anonymous: { ...LIMITS, perNetwork: 3 } })
    for (let n = 0; n < 3; n += 1) expect((await enter()).status).to.equal(200)
    const refused = await enter()
    expect(refused.status).to.equal(429)
    expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 86_400)
    server.pass(DAY_MS)
    expect((await enter()).status).to.equal(200)
    const rows = await server.database.table('quire_anonymous_networks').find().toArray()
    expect(rows).to.have.length(1)
    expect(JSON.stringify(rows)).not.to.include('127.0.0.1')
  })

  it('limits all stored users, exactly under concurrency', async () => {
    await open('anonymous_max', { anonymous: { ...LIMITS, max: 3 } })
    const answers = await Promise.all(Array.from({ length: 6 }, enter))
    const stored = await Promise.allSettled(answers.map(store))
    expect(stored.filter(({ status }) => status === 'fulfilled')).to.have.length(3)
    expect(await count()).to.equal(3)
  })

  it('deletes users without activity, and their tokens with them', async () => {
    await open('anonymous_swept')
    const idle = await enter()
    const active = await enter()
    await store(idle)
    await store(active)
    server.pass(4 * DAY_MS)
    expect((await me(active.body.jwt)).status).to.equal(200)
    server.pass(2 * DAY_MS)
    expect(await sweepAnonymous(server.accounts)).to.equal(1)
    expect(await sweepAnonymous(server.accounts)).to.equal(0)
    expect((await me(idle.body.jwt)).status).to.equal(401)
    expect((await me(active.body.jwt)).status).to.equal(200)
    const [row] = await server.database.table('quire_user_content').find().toArray()
    expect(row?.['users']).to.deep.equal([idle.body.user.documentId])
  })

  it('keeps the documentId of a user that registers', async () => {
    await open('anonymous_registered')
    const anonymous = await enter()
    await store(anonymous)
    server.pass(2_000)
    const { status, body } = await register(anonymous.body.jwt)
    expect(status, JSON.stringify(body)).to.equal(200)
    const { documentId, id } = anonymous.body.user
    expect(body.user).to.include({ documentId, id, username: 'ann', email: 'ann@example.org' })
    expect(body.user.provider).to.equal('local')
    expect((await me(anonymous.body.jwt)).status).to.equal(401)
    expect((await me(body.jwt)).status).to.equal(200)
    const login = { identifier: 'ann', password: 'secret of ann' }
    const again = await server.send('POST', '/api/auth/local', login)
    expect(again.body.user.documentId).to.equal(documentId)
    const user = await findUser(server.users, { documentId })
    const roles = await server.access.roles.list()
    expect(roles.find((role) => role.documentId === user?.role)?.type).to.equal('authenticated')
    server.pass(10 * DAY_MS)
    expect(await sweepAnonymous(server.accounts)).to.equal(0)
  })

  it('registers an anonymous user that was never stored', async () => {
    await open('anonymous_first_registered')
    const anonymous = await enter()
    const { status, body } = await register(anonymous.body.jwt)
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(body.user.documentId).to.equal(anonymous.body.user.documentId)
  })

  it('refuses a taken name and keeps the user anonymous', async () => {
    await open('anonymous_taken')
    await server.register('ann')
    const { body } = await enter()
    const taken = await register(body.jwt)
    expect([taken.status, taken.headers.get('Error-Code')]).to.deep.equal([400, 'account_taken'])
    expect((await me(body.jwt)).body.provider).to.equal('anonymous')
    expect((await register(body.jwt, 'eve')).status).to.equal(200)
  })

  it('registers once of two concurrent requests', async () => {
    await open('anonymous_twice')
    const { body } = await enter()
    const answers = await Promise.all([register(body.jwt, 'ann'), register(body.jwt, 'eve')])
    const statuses = answers.map(({ status }) => status).sort((one, other) => one - other)
    expect(statuses).to.deep.equal([200, 401])
    expect(await count()).to.equal(1)
  })

  it('refreshes tokens before and after the user is stored', async () => {
    await open('anonymous_refresh', { lifespans: LIFESPANS })
    const answer = await enter()
    expect(Object.keys(answer.body)).to.deep.equal(['jwt', 'refreshToken', 'user'])
    const refresh = async (refreshToken: string): Promise<Answer> =>
      server.send('POST', '/api/auth/refresh', { refreshToken })
    const first = await refresh(answer.body.refreshToken)
    expect(first.status, JSON.stringify(first.body)).to.equal(200)
    const { documentId } = answer.body.user
    expect((await me(first.body.jwt)).body.documentId).to.equal(documentId)
    await store(answer)
    const second = await refresh(first.body.refreshToken)
    expect((await me(second.body.jwt)).body.documentId).to.equal(documentId)
    await server.send('DELETE', '/api/users/me', undefined, second.body.jwt)
    expect((await refresh(second.body.refreshToken)).status).to.equal(401)
  })

  it('has a role that starts empty and cannot be removed', async () => {
    server = await serveUsers('anonymous_role', { anonymous: LIMITS })
    const role = await server.access.roles.get('anonymous-user')
    expect(role.permissions).to.deep.equal([])
    const failed: unknown = await server.access.roles
      .remove('anonymous-user')
      .catch((error: unknown) => error)
    expect(failed).to.include({ status: 400 })
    const { body } = await enter()
    expect((await me(body.jwt)).status).to.equal(403)
  })
})
