import { expect } from 'chai'
import { userContentIn } from '../../../src/content/deleted-users/user-content-rows.ts'
import { type Answer, serveUsers, type UsersServer } from './users-server.ts'

const MINUTE_MS = 60_000
const LIFESPANS = { accessSeconds: 1_800, idleSeconds: 86_400, maxSeconds: 864_000 }

describe('the sign-in before the deletion of an account', () => {
  let server: UsersServer

  afterEach(() => server.close())

  const grantRefresh = (): Promise<unknown> =>
    server.access.roles.grant('authenticated', ['plugin::users-permissions.auth.refresh'])
  const remove = (jwt: string): Promise<Answer> =>
    server.send('DELETE', '/api/users/me', undefined, jwt)
  const codeOf = ({ status, headers }: Answer) => [status, headers.get('Error-Code')]

  it('is valid for ten minutes', async () => {
    server = await serveUsers('account_deletion')
    const ann = await server.register('ann')
    const eve = await server.register('eve')
    server.pass(10 * MINUTE_MS)
    expect((await remove(ann.jwt)).status).to.equal(204)
    server.pass(1_000)
    expect(codeOf(await remove(eve.jwt))).to.deep.equal([403, 'recent_sign_in_required'])
    const login = { identifier: 'eve', password: eve.password }
    const again = await server.send('POST', '/api/auth/local', login)
    expect((await remove(again.body.jwt)).status).to.equal(204)
    const gone = await server.send('POST', '/api/auth/local', login)
    expect(codeOf(gone)).to.deep.equal([400, 'invalid_login'])
  })

  it('is the start of the session, not its last refresh', async () => {
    server = await serveUsers('account_deletion_sessions', { lifespans: LIFESPANS })
    await grantRefresh()
    const password = 'secret of ann'
    const given = { username: 'ann', email: 'ann@example.org', password }
    const { body } = await server.send('POST', '/api/auth/local/register', given)
    server.pass(11 * MINUTE_MS)
    const { refreshToken } = body
    const refreshed = await server.send('POST', '/api/auth/refresh', { refreshToken })
    expect(refreshed.status).to.equal(200)
    const late = await remove(refreshed.body.jwt)
    expect(codeOf(late)).to.deep.equal([403, 'recent_sign_in_required'])
    const login = { identifier: 'ann', password }
    const again = await server.send('POST', '/api/auth/local', login)
    expect((await remove(again.body.jwt)).status).to.equal(204)
    const sessions = server.database.table('quire_sessions')
    expect(await sessions.countDocuments({ user: body.user.documentId })).to.equal(0)
    const used = await server.send('POST', '/api/auth/refresh', {
      refreshToken: refreshed.body.refreshToken,
    })
    expect(used.status).to.equal(401)
  })

  it('stores the work on the content with the user as its author', async () => {
    server = await serveUsers('account_deletion_rows')
    const { jwt, user } = await server.register('ann')
    expect((await remove(jwt)).status).to.equal(204)
    const [row, ...others] = await userContentIn(server.database).find().toArray()
    expect(others).to.deep.equal([])
    expect(row).to.deep.include({ users: [user.documentId], to: null, done: [] })
    expect(row?.by).to.deep.equal({ kind: 'user', id: user.documentId, name: null })
  })

  it('is counted per address', async () => {
    server = await serveUsers('account_deletion_limit', { limited: true })
    const { jwt } = await server.register('ann')
    server.pass(11 * MINUTE_MS)
    for (let n = 0; n < 10; n += 1) expect((await remove(jwt)).status).to.equal(403)
    expect((await remove(jwt)).status).to.equal(429)
  })
})
