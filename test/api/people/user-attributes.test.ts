import { expect } from 'chai'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

const USER = 'plugin::users-permissions.user'
const REGISTER = `plugin::users-permissions.auth.register`

const CONTENT_TYPES = {
  package: { name: 'project' },
  'src/api/team/content-types/team/schema': declare('team', {
    name: { type: 'string' },
    members: { type: 'relation', relation: 'oneToMany', target: USER, mappedBy: 'team' },
  }),
  'src/extensions/users-permissions/content-types/user/schema': {
    kind: 'collectionType',
    collectionName: 'up_users',
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    options: { draftAndPublish: false },
    attributes: {
      username: { type: 'string', minLength: 3, unique: true, required: true },
      email: { type: 'email', minLength: 6, required: true },
      bio: { type: 'text', maxLength: 20 },
      age: { type: 'integer', required: true, min: 18 },
      nick: { type: 'string', unique: true },
      plan: { type: 'string', default: 'free' },
      note: { type: 'string', private: true },
      team: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::team.team',
        inversedBy: 'members',
      },
    },
  },
}

describe('attributes that a project adds to users', () => {
  let server: TestServer
  let team: string
  let role: string
  let made = 0

  before(async () => {
    server = await serve('user_attributes', {
      contentTypes: CONTENT_TYPES,
      environment: { REGISTER_FIELDS: 'bio, age', RATE_LIMIT: 'off', TRASH_DAYS: '0' },
      permitted: [REGISTER],
    })
    team = (await server.post('/api/teams', { name: 'Red' })).body.data.documentId
    const roles = (await server.get('/api/users-permissions/roles')).body.roles
    role = roles.find(({ type }: Json) => type === 'authenticated').documentId
  })
  after(() => server.close())

  const account = (): Record<string, unknown> => {
    made += 1
    const username = `user${made}`
    return { username, email: `${username}@example.org`, password: 'correct horse' }
  }
  const create = (attributes: object, token: string | null = ROOT_TOKEN) =>
    server.send('POST', '/api/users', { body: { ...account(), role, ...attributes }, token })
  const change = (id: number, body: object) => server.send('PUT', `/api/users/${id}`, { body })
  const register = (attributes: object) =>
    server.send('POST', '/api/auth/local/register', {
      body: { ...account(), ...attributes },
      token: null,
    })
  const show = async (id: number): Promise<Json> =>
    (await server.get(`/api/users/${id}?populate=team`)).body
  const faultsOf = (body: Json): readonly string[] =>
    body.error.details.errors.map(({ path }: Json) => path.join('.'))

  it('stores them on creation, with relations and defaults', async () => {
    const { status, body, text } = await create({ bio: 'Hello', age: 30, note: 'secret', team })
    expect(status, text).to.equal(201)
    expect(body).to.include({ bio: 'Hello', age: 30, plan: 'free', nick: null })
    expect(body).not.to.have.property('note')
    expect((await show(body.id)).team.name).to.equal('Red')
    const { members } = (await server.get(`/api/teams/${team}?populate=members`)).body.data
    expect(members.map(({ id }: Json) => id)).to.include(body.id)
  })

  it('validates them on creation, and stores no invalid user', async () => {
    const before = (await server.get('/api/users/count')).body
    const faults = await create({ bio: 'x'.repeat(21) })
    expect([faults.status, faultsOf(faults.body)]).to.deep.equal([400, ['bio', 'age']])
    const young = await create({ age: 17 })
    expect([young.status, faultsOf(young.body)]).to.deep.equal([400, ['age']])
    expect((await create({ age: 30, team: 'nothing' })).status).to.equal(400)
    expect((await server.get('/api/users/count')).body).to.equal(before)
  })

  it('changes their values and relations like content', async () => {
    const { body: user } = await create({ age: 30, bio: 'Before', team })
    const first = await change(user.id, { bio: 'After', username: `${user.username}x` })
    expect(first.status, first.text).to.equal(200)
    expect(first.body).to.include({ bio: 'After', age: 30, username: `${user.username}x` })
    expect(first.body.role.documentId).to.equal(role)
    expect((await show(user.id)).team.documentId).to.equal(team)
    const away = await change(user.id, { team: { disconnect: [team] } })
    expect(away.status, away.text).to.equal(200)
    expect((await show(user.id)).team).to.equal(null)
    const wrong = await change(user.id, { age: null, bio: 3 })
    expect([wrong.status, faultsOf(wrong.body)]).to.deep.equal([400, ['bio', 'age']])
    expect(await show(user.id)).to.include({ bio: 'After', age: 30 })
  })

  it('keeps the password when they change', async () => {
    const { body: user } = await create({ age: 30 })
    expect((await change(user.id, { bio: 'x' })).status).to.equal(200)
    await server.send('PUT', '/admin/roles/public', {
      body: { permissions: [REGISTER, 'plugin::users-permissions.auth.callback'] },
    })
    const body = { identifier: user.username, password: 'correct horse' }
    const answer = await server.send('POST', '/api/auth/local', { body, token: null })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.user.bio).to.equal('x')
  })

  it('reports a taken unique value by its attribute', async () => {
    expect((await create({ age: 30, nick: 'neo' })).status).to.equal(201)
    const second = await create({ age: 30, nick: 'neo' })
    expect([second.status, faultsOf(second.body)]).to.deep.equal([400, ['nick']])
    const { body: user } = await create({ age: 30 })
    const changed = await change(user.id, { nick: 'neo' })
    expect([changed.status, faultsOf(changed.body)]).to.deep.equal([400, ['nick']])
  })

  it('accepts only the attributes in REGISTER_FIELDS at registration', async () => {
    const { status, body, text } = await register({ bio: 'New', age: 40 })
    expect(status, text).to.equal(200)
    expect(body.user).to.include({ bio: 'New', age: 40, plan: 'free' })
    for (const unknown of [{ nick: 'x' }, { plan: 'paid' }, { team }, { role }, { note: 'x' }]) {
      const refused = await register({ age: 40, ...unknown })
      const [key] = Object.keys(unknown)
      expect([refused.status, refused.body.error.message]).to.deep.equal([
        400,
        `Invalid parameters: ${key}`,
      ])
    }
    expect(faultsOf((await register({ bio: 'New' })).body)).to.deep.equal(['age'])
  })

  it('refuses relations to content that the caller may not find', async () => {
    const token = (await register({ age: 40 })).body.jwt
    const permit = (...permissions: readonly string[]) =>
      server.send('PUT', '/admin/roles/authenticated', { body: { permissions } })
    await permit(`${USER}.create`, `${USER}.find`)
    const refused = await create({ age: 30, team }, token)
    expect([refused.status, refused.body.error.message]).to.deep.equal([400, 'Invalid key team'])
    await permit(`${USER}.create`, `${USER}.find`, 'api::team.team.find')
    const stored = await create({ age: 30, team }, token)
    expect(stored.status, stored.text).to.equal(201)
  })

  it('are part of the request bodies in the API description', async () => {
    const { paths, components } = (await server.get('/api/openapi.json')).body
    const bodyOf = (path: string, method: string): Json => {
      const { schema } = paths[path][method].requestBody.content['application/json']
      return schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1)]
    }
    const created = bodyOf('/api/users', 'post')
    expect(created.properties).to.include.keys('bio', 'age', 'team', 'nick')
    expect(created.required).to.include('age').and.not.to.include('bio')
    expect(bodyOf('/api/users/{id}', 'put').properties).to.include.keys('bio', 'age', 'team')
    const registered = bodyOf('/api/auth/local/register', 'post')
    expect(registered.properties).to.include.keys('bio', 'age').and.not.to.have.property('team')
    expect(registered.required).to.include('age')
  })
})

describe('a server without REGISTER_FIELDS', () => {
  it('requires and accepts no added attributes at registration', async () => {
    const server = await serve('user_attributes_unset', {
      contentTypes: CONTENT_TYPES,
      permitted: [REGISTER],
    })
    const body = { username: 'ann', email: 'ann@example.org', password: 'correct horse' }
    const made = await server.send('POST', '/api/auth/local/register', { body, token: null })
    const refused = await server.send('POST', '/api/auth/local/register', {
      body: { ...body, age: 30 },
      token: null,
    })
    await server.close()
    expect(made.status, made.text).to.equal(200)
    expect(made.body.user).to.include({ age: null, plan: 'free' })
    expect(refused.status).to.equal(400)
  })

  for (const name of ['nothing', 'email', 'role', 'tokensFrom']) {
    it(`does not start if REGISTER_FIELDS contains ${name}`, async () => {
      const environment = { REGISTER_FIELDS: name }
      const error: unknown = await serve('user_attributes_wrong', {
        contentTypes: CONTENT_TYPES,
        environment,
      }).then(
        (server) => server.close(),
        (reason: unknown) => reason,
      )
      expect(error).to.be.instanceOf(Error)
      expect(String(error)).to.contain('REGISTER_FIELDS').and.to.contain(name)
    })
  }
})

describe('entries that a registration names', () => {
  let server: TestServer

  before(async () => {
    const { 'src/extensions/users-permissions/content-types/user/schema': user, package: project } =
      CONTENT_TYPES
    const { team: _team, age: _age, ...attributes } = user.attributes
    const badges = { type: 'relation', relation: 'oneToMany', target: 'api::badge.badge' }
    server = await serve('user_entries', {
      contentTypes: {
        package: project,
        'src/api/badge/content-types/badge/schema': declare('badge', {
          name: { type: 'string' },
          holder: { type: 'relation', relation: 'manyToOne', target: USER, inversedBy: 'badges' },
        }),
        'src/extensions/users-permissions/content-types/user/schema': {
          ...user,
          attributes: { ...attributes, badges: { ...badges, mappedBy: 'holder' } },
        },
      },
      environment: { REGISTER_FIELDS: 'badges', RATE_LIMIT: 'off' },
      permitted: [REGISTER, 'api::badge.badge.find'],
    })
  })
  after(() => server.close())

  it('stay with their owners unless the caller may update them', async () => {
    const badge = (await server.post('/api/badges', { name: 'gold' })).body.data.documentId
    const register = (username: string, badges: readonly string[]) =>
      server.send('POST', '/api/auth/local/register', {
        body: { username, email: `${username}@example.org`, password: 'correct horse', badges },
        token: null,
      })
    const holder = async (): Promise<Json> =>
      (await server.get(`/api/badges/${badge}?populate=holder`)).body.data.holder
    const refused = await register('thief', [badge])
    expect(refused.status, refused.text).to.equal(403)
    expect(await holder()).to.equal(null)
    expect((await register('friend', [])).status).to.equal(200)
    const permissions = [REGISTER, 'api::badge.badge.find', 'api::badge.badge.update']
    await server.send('PUT', '/admin/roles/public', { body: { permissions } })
    expect((await register('heir', [badge])).status).to.equal(200)
    expect((await holder()).username).to.equal('heir')
  })
})
