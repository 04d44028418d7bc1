import { expect } from 'chai'
import { type Json, type Answer, declare, serve, type TestServer } from '../../support/server.ts'

const ROLE = 'plugin::users-permissions.role'
const USER = 'plugin::users-permissions.user'
const FIND = 'api::post.post.find'

describe('/api/users-permissions', () => {
  let server: TestServer
  let token: string

  before(async () => {
    server = await serve('roles_api', {
      contentTypes: {
        post: declare('post', { title: { type: 'string' } }),
        note: declare('note', { title: { type: 'string' } }, { draftAndPublish: true }),
      },
    })
    const verbs = ['find', 'findOne', 'createRole', 'updateRole', 'deleteRole']
    const permissions = [...verbs.map((verb) => `${ROLE}.${verb}`), FIND, `${USER}.find`]
    const answer = await server.send('POST', '/admin/api-tokens', {
      body: { name: 'roles', type: 'custom', permissions },
    })
    expect(answer.status, answer.text).to.equal(201)
    token = answer.body.data.accessKey
  })
  after(() => server.close())

  const ROLES = '/api/users-permissions/roles'
  const permissions = (...actions: readonly string[]): object => {
    const tree: Record<string, { controllers: Record<string, Record<string, object>> }> = {}
    for (const action of actions) {
      const [type = '', controller = '', verb = ''] = action.split('.')
      const { controllers } = (tree[type] ??= { controllers: {} })
      const verbs = (controllers[controller] ??= {})
      verbs[verb] = { enabled: true, policy: '' }
    }
    return tree
  }
  const create = (body: unknown, key = token): Promise<Answer> =>
    server.send('POST', ROLES, { body, token: key })
  const roleNamed = async (name: string) => {
    const { body } = await server.get(ROLES)
    return body.roles.find((role: { name: string }) => role.name === name)
  }

  it('lists all actions', async () => {
    const { status, body } = await server.get('/api/users-permissions/permissions')
    expect(status).to.equal(200)
    const { post } = body.permissions['api::post'].controllers
    expect(Object.keys(post)).to.deep.equal([
      'find',
      'findOne',
      'create',
      'update',
      'delete',
      'sync',
    ])
    expect(post.find).to.deep.equal({ enabled: false, policy: '' })
    expect(body.permissions['plugin::users-permissions'].controllers.role).to.have.property(
      'createRole',
    )
    const refused = await server.get('/api/users-permissions/permissions', { token })
    expect(refused.status).to.equal(403)
  })

  it('creates, changes and deletes a role in the format of Strapi', async () => {
    const made = await create({
      name: 'Chief Éditor',
      description: 'Edits',
      permissions: permissions(FIND),
    })
    expect([made.status, made.body], made.text).to.deep.equal([200, { ok: true }])
    const role = await roleNamed('Chief Éditor')
    expect(role).to.include({ type: 'chief_editor', description: 'Edits', nb_users: 0 })
    const path = `${ROLES}/${role.id}`
    const shown = (await server.get(path)).body.role
    expect(shown.permissions['api::post'].controllers.post.find.enabled).to.equal(true)
    expect(shown.permissions['api::post'].controllers.post.create.enabled).to.equal(false)

    const changed = await server.send('PUT', path, {
      token,
      body: { ...shown, name: 'Chief', permissions: permissions(`${USER}.find`) },
    })
    expect([changed.status, changed.body], changed.text).to.deep.equal([200, { ok: true }])
    const after = (await server.get(path)).body.role
    expect(after).to.include({ name: 'Chief', type: 'chief_editor' })
    expect(after.permissions['api::post'].controllers.post.find.enabled).to.equal(false)

    const removed = await server.delete(path, { token })
    expect([removed.status, removed.body]).to.deep.equal([200, { ok: true }])
    expect((await server.get(path)).status).to.equal(404)
  })

  it('accepts readDraft, the name in the reference, for readDrafts', async () => {
    const made = await create({
      name: 'Drafts',
      permissions: permissions('api::note.note.readDraft'),
    })
    expect(made.status, made.text).to.equal(403)
    const asRoot = await server.send('POST', ROLES, {
      body: { name: 'Drafts', permissions: permissions('api::note.note.readDraft') },
    })
    expect(asRoot.status, asRoot.text).to.equal(200)
    const { id } = await roleNamed('Drafts')
    const { body } = await server.get(`${ROLES}/${id}`)
    expect(body.role.permissions['api::note'].controllers.note.readDrafts.enabled).to.equal(true)
    const given = ['api::note.note.find', 'api::note.note.readDraft']
    const { body: added } = await server.send('POST', '/admin/api-tokens', {
      body: { name: 'drafts', type: 'custom', permissions: given },
    })
    expect(added.data.permissions).to.deep.equal([
      'api::note.note.find',
      'api::note.note.readDrafts',
    ])
    const list = await server.get('/api/notes?status=draft', { token: added.data.accessKey })
    expect(list.status, list.text).to.equal(200)
  })

  it('refuses to grant permissions that the caller does not have', async () => {
    const refused = await create({ name: 'Strong', permissions: permissions(`${USER}.destroy`) })
    expect(refused.status, refused.text).to.equal(403)
    expect(await roleNamed('Strong')).to.equal(undefined)
    const made = await create({ name: 'Weak', permissions: permissions(FIND) })
    expect(made.status, made.text).to.equal(200)
    const { id } = await roleNamed('Weak')
    const body = { permissions: permissions(FIND, 'api::post.post.delete') }
    const raised = await server.send('PUT', `${ROLES}/${id}`, { body, token })
    expect(raised.status).to.equal(403)
    const byRoot = await server.send('PUT', `${ROLES}/${id}`, { body })
    expect(byRoot.status, byRoot.text).to.equal(200)
    // The role may keep its permissions, even if the caller does not have them.
    const again = await server.send('PUT', `${ROLES}/${id}`, { body, token })
    expect(again.status, again.text).to.equal(200)
  })

  it('accepts an empty list as no permissions', async () => {
    const made = await server.send('POST', ROLES, { body: { name: 'Empty', permissions: [] } })
    expect(made.status, made.text).to.equal(200)
    const { roles } = (await server.get(ROLES)).body
    const { id } = roles.find(({ name }: Json) => name === 'Empty')
    const enabled = async (): Promise<number> =>
      (await server.get(`${ROLES}/${id}`)).text.split('"enabled":true').length - 1
    expect(await enabled()).to.equal(0)
    await server.send('PUT', `${ROLES}/${id}`, { body: { permissions: permissions(FIND) } })
    expect(await enabled()).to.equal(1)
    const emptied = await server.send('PUT', `${ROLES}/${id}`, { body: { permissions: [] } })
    expect(emptied.status, emptied.text).to.equal(200)
    expect(await enabled()).to.equal(0)
  })

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['an empty body', {}, /^Request body cannot be empty$/],
    ['no name', { description: 'x' }, /2 errors/],
    ['a name without a letter', { name: '123' }, /type/],
    ['a taken name', { name: 'Public' }, /unique/],
    ['an unknown key', { name: 'Other', foo: 1 }, /foo/],
    ['an unknown action', { name: 'Other', permissions: permissions('api::x.x.find') }, /api::x/],
    ['permissions in a list', { name: 'Other', permissions: [FIND] }, /^permissions/],
    [
      'a permission that is not boolean',
      {
        name: 'Other',
        permissions: { 'api::post': { controllers: { post: { find: { enabled: 'yes' } } } } },
      },
      /^permissions\.api::post\.controllers\.post\.find\.enabled must be true or false$/,
    ],
  ]
  for (const [label, body, message] of refused) {
    it(`refuses ${label}`, async () => {
      const answer = await server.send('POST', ROLES, { body })
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.body.error.message).to.match(message)
    })
  }

  it('refuses to delete built-in roles, and finds no unknown ones', async () => {
    const { id } = await roleNamed('Public')
    expect((await server.delete(`${ROLES}/${id}`)).status).to.equal(400)
    expect((await server.delete(`${ROLES}/424242`)).status).to.equal(404)
    expect((await server.send('PUT', `${ROLES}/abc`, { body: { name: 'X' } })).status).to.equal(404)
  })

  it('never shows the users of a role', async () => {
    const account = { username: 'ada', email: 'ada@quire.test', password: 'a long password' }
    const made = await server.send('POST', '/api/users', { body: { ...account, role: 1 } })
    expect(made.status, made.text).to.equal(201)
    for (const populate of [
      'populate[role][populate]=users',
      'populate[role][populate]=*',
      'populate=role.users',
      'populate[role][populate][users][count]=true',
    ]) {
      const { status, body, text } = await server.get(`/api/users?${populate}`)
      expect(status, text).to.equal(200)
      expect(body[0].role, populate).to.include({ name: 'Authenticated' })
      expect(body[0].role, populate).to.not.have.property('users')
    }
  })
})
