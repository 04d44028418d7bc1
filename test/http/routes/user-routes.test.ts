import { expect } from 'chai'
import { type Answer, type Json, ROOT_TOKEN, serveUsers, type UsersServer } from './users-server.ts'

describe('routes under /api/users', () => {
  let server: UsersServer
  let editor: number

  before(async () => {
    server = await serveUsers('users')
    editor = (await server.access.roles.create({ name: 'Editor', type: 'editor' })).id
    for (const name of ['ann', 'bob', 'cid']) await server.register(name)
  })
  after(() => server.close())

  const asRoot = (method: string, path: string, body?: unknown): Promise<Answer> =>
    server.send(method, path, body, ROOT_TOKEN)
  const names = async (query: string): Promise<readonly string[]> =>
    (await asRoot('GET', `/api/users?${query}`)).body.map(({ username }: Json) => username)
  const errorOf = ({ status, body }: Answer): unknown => [
    status,
    body.error.name,
    body.error.message,
  ]
  const create = (username: string, more: object = {}): Promise<Answer> => {
    const email = `${username}@example.org`
    return asRoot('POST', '/api/users', { username, email, password: 'secret', role: 1, ...more })
  }

  it('lists users as a plain array with filters, sort and pagination', async () => {
    expect(await names('sort=username:desc')).to.deep.equal(['cid', 'bob', 'ann'])
    expect(await names('sort=username&start=1&limit=1')).to.deep.equal(['bob'])
    expect(await names('sort=username&pagination[pageSize]=1&page=7')).to.deep.equal([
      'ann',
      'bob',
      'cid',
    ])
    expect(await names('filters[email][$contains]=bob@')).to.deep.equal(['bob'])
    expect(await names('filters[role][type]=authenticated&sort=id')).to.have.length(3)
    expect(await names('filters[role][type]=editor')).to.deep.equal([])
    const counted = await asRoot('GET', '/api/users/count?filters[username][$ne]=bob')
    expect(counted.body).to.equal(2)
    expect((await asRoot('GET', '/api/users?limit=many')).status).to.equal(400)
  })

  it('returns the role on request and never a secret', async () => {
    const [ann] = (await asRoot('GET', '/api/users?populate=role&filters[username]=ann')).body
    expect(Object.keys(ann.role)).to.deep.equal([
      'id',
      'documentId',
      'name',
      'description',
      'type',
      'createdAt',
      'updatedAt',
      'publishedAt',
    ])
    expect(ann.role.type).to.equal('authenticated')
    const text = JSON.stringify((await asRoot('GET', '/api/users?populate=*')).body)
    for (const secret of ['argon2', 'password', 'Token', 'tokensFrom', 'permissions']) {
      expect(text).not.to.include(secret)
    }
  })

  it('refuses to filter, sort or select by secret attributes', async () => {
    for (const key of ['password', 'resetPasswordToken', 'confirmationToken']) {
      for (const query of [
        `filters[${key}][$startsWith]=$`,
        `filters[$or][0][${key}][$notNull]=true`,
        `sort=${key}`,
        `fields=${key}`,
        `populate=${key}`,
        `filters[role][users][${key}][$startsWith]=$`,
      ]) {
        const answer = await asRoot('GET', `/api/users?${query}`)
        expect(answer.status, query).to.equal(400)
      }
    }
    for (const key of ['tokensFrom', 'resetPasswordExpiresAt', 'status', '_id']) {
      const answer = await asRoot('GET', `/api/users?filters[${key}][$gt]=0`)
      expect(answer.status, key).to.equal(400)
    }
    const search = await asRoot('GET', '/api/users?_q=argon2')
    expect(search.body).to.deep.equal([])
  })

  it('returns one user and responds with 404 for an unknown or invalid id', async () => {
    const [{ id }] = (await asRoot('GET', '/api/users?filters[username]=ann')).body
    const found = await asRoot('GET', `/api/users/${id}?fields=username&populate=role`)
    expect(Object.keys(found.body)).to.deep.equal(['id', 'documentId', 'username', 'role'])
    for (const path of ['424242', 'abc', '0', '-1', '1e3', '%7B%22$ne%22:1%7D', '__proto__']) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await asRoot(method, `/api/users/${path}`, method === 'PUT' ? {} : undefined)
        expect(answer.status, `${method} ${path}`).to.equal(404)
      }
    }
  })

  it('creates a user with a role in any notation', async () => {
    const { documentId } = await server.access.roles.get('editor')
    for (const [index, role] of [
      editor,
      String(editor),
      documentId,
      { id: editor },
      { connect: [{ documentId }] },
      { set: [editor] },
    ].entries()) {
      const answer = await create(`made${index}`, { role })
      expect(answer.status, JSON.stringify(role)).to.equal(201)
      expect(answer.body).to.deep.include({ provider: 'local', confirmed: false, blocked: false })
      expect(answer.body.role.type).to.equal('editor')
    }
    expect(await names('filters[role][type]=editor')).to.have.length(6)
    for (const role of [99, 'nope', {}, [], [1, 2], { $ne: 1 }, [[1]], null, true]) {
      const answer = await create('unmade', { role })
      expect(answer.status, JSON.stringify(role)).to.equal(400)
    }
  })

  it('refuses taken names and addresses with their own messages', async () => {
    expect(errorOf(await create('ann', { email: 'new@example.org' }))).to.deep.equal([
      400,
      'ApplicationError',
      'This attribute must be unique',
    ])
    expect(errorOf(await create('new', { email: 'ANN@example.org' }))).to.deep.equal([
      400,
      'ApplicationError',
      'Email already taken',
    ])
    const [{ id }] = (await asRoot('GET', '/api/users?filters[username]=bob')).body
    const change = (body: object) => asRoot('PUT', `/api/users/${id}`, body)
    expect((await change({ username: 'ann' })).body.error.message).to.equal(
      'Username already taken',
    )
    expect((await change({ email: 'ann@example.org' })).body.error.message).to.equal(
      'Email already taken',
    )
    expect((await change({ username: 'bob', email: 'bob@example.org' })).status).to.equal(200)
  })

  it('has the code account_taken for each taken identifier', async () => {
    const [{ id }] = (await asRoot('GET', '/api/users?filters[username]=bob')).body
    const change = (body: object) => asRoot('PUT', `/api/users/${id}`, body)
    for (const answer of [
      await create('ann', { email: 'new@example.org' }),
      await create('new', { email: 'ann@example.org' }),
      await create('ann@example.org', { email: 'new@example.org' }),
      await change({ username: 'ann' }),
      await change({ email: 'ann@example.org' }),
      await change({ username: 'ann@example.org' }),
    ]) {
      expect(
        [answer.status, answer.headers.get('error-code')],
        JSON.stringify(answer.body),
      ).to.deep.equal([400, 'account_taken'])
    }
  })

  it('ignores attributes that clients may not set', async () => {
    const more = { id: 7, documentId: 'x', provider: 'x', tokensFrom: 9, resetPasswordToken: 'x' }
    const { body } = await create('modest', { ...more, createdAt: 'x', status: 'draft' })
    expect(body.provider).to.equal('local')
    expect(body.id).not.to.equal(7)
    const changed = await asRoot('PUT', `/api/users/${body.id}`, more)
    expect(changed.body).to.include({ id: body.id, documentId: body.documentId, provider: 'local' })
  })

  it('refuses a blocked or deleted user immediately in every process', async () => {
    const other = await server.another()
    const { jwt, user, password } = await server.register('guest')
    const me = (base?: string) => server.send('GET', '/api/users/me', undefined, jwt, base)
    expect((await me(other)).status).to.equal(200)
    await asRoot('PUT', `/api/users/${user.id}`, { blocked: true })
    expect((await me()).status).to.equal(401)
    expect((await me(other)).status).to.equal(401)
    const login = { identifier: 'guest', password }
    expect(errorOf(await server.send('POST', '/api/auth/local', login))).to.deep.equal([
      400,
      'ApplicationError',
      'Your account has been blocked by an administrator',
    ])
    await asRoot('PUT', `/api/users/${user.id}`, { blocked: false })
    expect((await me(other)).status).to.equal(401)
    const again = (await server.send('POST', '/api/auth/local', login)).body.jwt
    const meAgain = () => server.send('GET', '/api/users/me', undefined, again, other)
    expect((await meAgain()).status).to.equal(200)
    expect((await asRoot('DELETE', `/api/users/${user.id}`)).body.username).to.equal('guest')
    expect((await meAgain()).status).to.equal(401)
    expect((await server.send('POST', '/api/auth/local', login)).status).to.equal(400)
  })

  it('revokes tokens when an administrator sets a password', async () => {
    const { jwt, user } = await server.register('helped')
    await asRoot('PUT', `/api/users/${user.id}`, { username: 'helped2' })
    expect((await server.send('GET', '/api/users/me', undefined, jwt)).status).to.equal(200)
    await asRoot('PUT', `/api/users/${user.id}`, { password: 'another one' })
    expect((await server.send('GET', '/api/users/me', undefined, jwt)).status).to.equal(401)
  })

  it('applies a changed role permission to its users within a second', async () => {
    const { jwt } = await server.register('worker')
    const list = async () => (await server.send('GET', '/api/users', undefined, jwt)).status
    expect(await list()).to.equal(403)
    await server.access.roles.grant('authenticated', ['plugin::users-permissions.user.find'])
    expect(await list()).to.equal(200)
    const withRole = await server.send('GET', '/api/users?populate=role', undefined, jwt)
    expect(JSON.stringify(withRole.body)).not.to.include('"role"')
    const byRole = await server.send('GET', '/api/users?filters[role][type]=x', undefined, jwt)
    expect(byRole.status).to.equal(400)
    await server.access.roles.revoke('authenticated', ['plugin::users-permissions.user.find'])
    expect(await list()).to.equal(403)
  })

  it('returns the own user without a role that it may not read', async () => {
    const { jwt } = await server.register('self')
    const me = (query: string) => server.send('GET', `/api/users/me?${query}`, undefined, jwt)
    expect((await me('populate=role')).body).not.to.have.property('role')
    expect((await me('fields=username')).body).to.have.keys('id', 'documentId', 'username')
    expect((await me('fields=password')).status).to.equal(400)
    expect((await server.send('GET', '/api/users/me')).status).to.equal(403)
    expect(errorOf(await asRoot('GET', '/api/users/me'))).to.deep.equal([
      401,
      'UnauthorizedError',
      'Unauthorized',
    ])
  })
})

describe('routes of roles', () => {
  let server: UsersServer

  before(async () => {
    server = await serveUsers('roles_http')
  })
  after(() => server.close())

  const asRoot = (path: string): Promise<Answer> =>
    server.send('GET', `/api/users-permissions/roles${path}`, undefined, ROOT_TOKEN)

  it('lists roles with their user counts', async () => {
    await server.register('one')
    await server.register('two')
    const { roles } = (await asRoot('')).body
    expect(roles.map(({ type, nb_users }: Json) => [type, nb_users])).to.deep.equal([
      ['authenticated', 2],
      ['public', 0],
    ])
    expect((await server.send('GET', '/api/users-permissions/roles')).status).to.equal(403)
  })

  it('returns the permissions of a role and responds with 404 for an unknown one', async () => {
    const { role } = (await asRoot('/2')).body
    expect(role.type).to.equal('public')
    const { auth } = role.permissions['plugin::users-permissions'].controllers
    expect(auth.register).to.deep.equal({ enabled: true, policy: '' })
    expect(auth.changePassword).to.deep.equal({ enabled: false, policy: '' })
    for (const id of ['424242', 'public', '__proto__']) {
      const answer = await asRoot(`/${id}`)
      expect([answer.status, answer.body.error.message]).to.deep.equal([404, 'Role not found'])
    }
  })

  it('refuses to remove a role that has users', async () => {
    await server.access.roles.create({ name: 'Held', type: 'held' })
    const { user } = await server.register('holder')
    const role = (await server.access.roles.get('held')).id
    const path = `/api/users/${user.id}`
    expect((await server.send('PUT', path, { role }, ROOT_TOKEN)).body.role.type).to.equal('held')
    const removal = await server.access.roles.remove('held').then(
      () => 'removed',
      (error: unknown) => String(error),
    )
    expect(removal).to.include('has 1 users')
    await server.send('DELETE', path, undefined, ROOT_TOKEN)
    expect((await server.access.roles.remove('held')).type).to.equal('held')
  })
})
