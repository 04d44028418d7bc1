import { expect } from 'chai'
import {
  addAdministrator,
  addRole,
  type AdminClient,
  PASSWORD,
  signIn,
} from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const CONTENT_TYPES = {
  article: declare(
    'article',
    { title: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
    { draftAndPublish: true, localized: true },
  ),
  tag: declare('tag', { name: { type: 'string' } }),
}
const MANAGERS = [
  'admin::administrators.read',
  'admin::administrators.create',
  'admin::administrators.update',
  'admin::administrators.reset',
  'admin::administrators.delete',
  'admin::administrator-roles.read',
  'admin::administrator-roles.create',
  'admin::administrator-roles.update',
  'admin::administrator-roles.delete',
  'admin::roles.create',
  'admin::roles.update',
  'admin::api-tokens.create',
  'admin::api-tokens.update',
  'admin::api-tokens.regenerate',
  'admin::api-tokens.delete',
  'api::tag.tag.find',
  'api::tag.tag.findOne',
]
const PEOPLE = '/admin/administrators'
const ROLES = '/admin/administrator-roles'

const ascending = (one: number, other: number): number => one - other

describe('administrators and their roles', () => {
  let server: TestServer
  let root: AdminClient
  let manager: AdminClient
  let managerId: string
  const ids: Record<string, string> = {}

  before(async () => {
    server = await serve('administrators', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['fr'],
    })
    for (const [name, roles] of [
      ['Root', ['administrator']],
      ['Editor', ['editor']],
      ['Author', ['author']],
    ] as const) {
      ids[name] = (await addAdministrator(server, name, roles)).id
    }
    await addRole(server, 'manager', MANAGERS)
    await addRole(server, 'tagger', ['api::tag.tag.find'])
    managerId = (await addAdministrator(server, 'Manager', ['manager'])).id
    root = await signIn(server, 'root@example.org')
    manager = await signIn(server, 'manager@example.org')
  })
  after(() => server.close())

  const refused = async (method: string, target: string, body?: object): Promise<void> => {
    const { status, headers, text } = await manager.send(method, target, body)
    expect(status, `${method} ${target} ${text}`).to.equal(403)
    expect(headers['error-code']).to.equal('forbidden')
  }

  it('lists administrators without their passwords', async () => {
    const answer = await root.send('GET', PEOPLE)
    expect(answer.body.data.map(({ name }: Json) => name)).to.include.members(['Root', 'Manager'])
    expect(answer.text).to.not.match(/argon|epoch/)
    expect(answer.body.data[0]).to.have.all.keys(
      'id',
      'name',
      'email',
      'roles',
      'language',
      'theme',
      'hasPassword',
      'hasTotp',
      'createdAt',
      'updatedAt',
    )
  })

  it('refuses to assign a role with more permissions than the caller has', async () => {
    const person = { name: 'New', email: 'new@example.org' }
    for (const role of ['administrator', 'editor', 'author']) {
      await refused('POST', PEOPLE, { ...person, roles: [role] })
      await refused('PUT', `${PEOPLE}/${managerId}`, { roles: ['manager', role] })
    }
    const made = await manager.send('POST', PEOPLE, { ...person, roles: ['tagger'] })
    expect(made.status, made.text).to.equal(201)
    expect((await manager.send('DELETE', `${PEOPLE}/${made.body.data.id}`)).status).to.equal(200)
  })

  it('refuses to change, reset or delete an administrator with more permissions', async () => {
    for (const name of ['Root', 'Editor', 'Author']) {
      const path = `${PEOPLE}/${ids[name]}`
      await refused('PUT', path, { password: PASSWORD })
      await refused('PUT', path, { email: 'mine@example.org' })
      await refused('PUT', path, { roles: [] })
      await refused('POST', `${path}/reset`)
      await refused('DELETE', path)
    }
  })

  it('requires the current password when administrators change their own password', async () => {
    for (const [client, id] of [
      [root, ids['Root']],
      [manager, managerId],
    ] as const) {
      const path = `${PEOPLE}/${id}`
      for (const [method, target, body] of [
        ['PUT', path, { password: 'another password' }],
        ['PUT', path, { name: 'Another', password: PASSWORD }],
        ['POST', `${path}/reset`, undefined],
      ] as const) {
        const answer = await client.send(method, target, body)
        expect(answer.status, `${method} ${target} ${answer.text}`).to.equal(403)
      }
      expect((await client.send('GET', '/admin/session')).status).to.equal(200)
    }
    await signIn(server, 'root@example.org')
    const { status } = await root.send('PUT', `${PEOPLE}/${ids['Root']}`, { name: 'Root' })
    expect(status).to.equal(200)
  })

  it('requires the current password when administrators change their own email', async () => {
    const added = await addAdministrator(server, 'Mover', ['manager'])
    const mover = await signIn(server, 'mover@example.org')
    const path = `${PEOPLE}/${added.id}`
    const email = 'moved@example.org'
    for (const body of [
      { email },
      { email: email.toUpperCase() },
      { email, currentPassword: 'wrong horse battery' },
    ]) {
      const answer = await mover.send('PUT', path, body)
      expect([answer.status, answer.headers['error-code']], answer.text).to.deep.equal([
        400,
        'wrong_password',
      ])
    }
    const pathOfRoot = `${PEOPLE}/${ids['Root']}`
    expect((await root.send('PUT', pathOfRoot, { email: 'gone@example.org' })).status).to.equal(400)
    const unchanged = (await mover.send('GET', '/admin/session')).body.data.administrator
    expect(unchanged).to.include({ email: 'mover@example.org', name: 'Mover' })
    // The form sends the displayed email.
    const shown = { name: 'Moved', email: 'Mover@example.org', roles: ['manager'] }
    expect((await mover.send('PUT', path, shown)).status).to.equal(200)
    const moved = await mover.send('PUT', path, { email, currentPassword: PASSWORD })
    expect(moved.status, moved.text).to.equal(200)
    await signIn(server, email)
    const byAnother = await root.send('PUT', path, { email: 'mover@example.org' })
    expect(byAnother.status, byAnother.text).to.equal(200)
    expect((await root.send('DELETE', path)).status).to.equal(200)
  })

  it('rejects a reset link that was created before a change of the email', async () => {
    const { id } = await addAdministrator(server, 'Linked', ['author'])
    const { link } = (await root.send('POST', `${PEOPLE}/${id}/reset`)).body.data
    const token = String(link).split('#token=')[1] ?? ''
    const changed = await root.send('PUT', `${PEOPLE}/${id}`, { email: 'relinked@example.org' })
    expect(changed.status, changed.text).to.equal(200)
    const body = { token, password: 'chosen by the link' }
    const answer = await server.send('POST', '/admin/reset-password', {
      token: null,
      body,
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect([answer.status, answer.headers['error-code']]).to.deep.equal([400, 'invalid_link'])
    expect((await root.send('DELETE', `${PEOPLE}/${id}`)).status).to.equal(200)
  })

  it('refuses roles and tokens with more permissions than the caller has', async () => {
    const beyond = [{ action: 'api::tag.tag.delete' }]
    await refused('POST', ROLES, { type: 'more', name: 'More', permissions: beyond })
    await refused('PUT', `${ROLES}/manager`, {
      permissions: [...MANAGERS.map((action) => ({ action })), ...beyond],
    })
    await refused('PUT', `${ROLES}/tagger`, { permissions: beyond })
    await refused('POST', '/admin/roles', {
      type: 'more',
      name: 'More',
      permissions: ['api::tag.tag.delete'],
    })
    await refused('PUT', '/admin/roles/public', { permissions: ['api::tag.tag.delete'] })
    for (const token of [
      { type: 'full-access' },
      { type: 'read-only' },
      { type: 'custom', permissions: ['api::tag.tag.delete'] },
    ]) {
      await refused('POST', '/admin/api-tokens', { name: token.type, ...token })
    }
    const body = { name: 'all', type: 'full-access' }
    const { id } = (await root.send('POST', '/admin/api-tokens', body)).body.data
    await refused('POST', `/admin/api-tokens/${id}/regenerate`)
    await refused('PUT', `/admin/api-tokens/${id}`, { lifespanDays: 90 })
    const own = { name: 'own', type: 'custom', permissions: ['api::tag.tag.find'] }
    const made = await manager.send('POST', '/admin/api-tokens', own)
    expect(made.status, made.text).to.equal(201)
    const path = `/admin/api-tokens/${made.body.data.id}`
    await refused('PUT', path, { type: 'full-access' })
    await refused('PUT', path, { permissions: ['api::tag.tag.find', 'api::tag.tag.delete'] })
    expect((await manager.send('PUT', path, { description: 'mine' })).status).to.equal(200)
  })

  it('refuses to delete or weaken a token with more permissions than the caller has', async () => {
    const made = async (token: object): Promise<string> => {
      const { status, body, text } = await root.send('POST', '/admin/api-tokens', token)
      expect(status, text).to.equal(201)
      return `/admin/api-tokens/${body.data.id}`
    }
    const strong = await made({ name: 'strong', type: 'full-access' })
    const mixed = ['api::tag.tag.find', 'api::tag.tag.delete']
    const custom = await made({ name: 'mixed', type: 'custom', permissions: mixed })
    await refused('DELETE', strong)
    await refused('DELETE', custom)
    await refused('PUT', strong, { type: 'custom', permissions: ['api::tag.tag.find'] })
    await refused('PUT', custom, { permissions: ['api::tag.tag.find'] })
    await refused('PUT', custom, { lifespanDays: 1 })
    const { body } = await root.send('GET', '/admin/api-tokens')
    expect(body.data.map(({ name }: Json) => name)).to.include.members(['strong', 'mixed'])
  })

  it('lets a caller remove the permissions that it has itself, and delete such tokens', async () => {
    const mixed = ['api::tag.tag.find', 'api::tag.tag.delete']
    const token = { name: 'narrowed', type: 'custom', permissions: mixed }
    const { body } = await root.send('POST', '/admin/api-tokens', token)
    const path = `/admin/api-tokens/${body.data.id}`
    const narrowed = await manager.send('PUT', path, { permissions: ['api::tag.tag.delete'] })
    expect(narrowed.status, narrowed.text).to.equal(200)
    const own = { name: 'of the manager', type: 'custom', permissions: ['api::tag.tag.find'] }
    const made = (await manager.send('POST', '/admin/api-tokens', own)).body.data
    const deleted = await manager.send('DELETE', `/admin/api-tokens/${made.id}`)
    expect(deleted.status, deleted.text).to.equal(200)
  })

  it('refuses unknown attributes in the body', async () => {
    const person = { name: 'Sly', email: 'sly@example.org', roles: ['author'] }
    for (const more of [
      { id: ids['Root'] },
      { _id: ids['Root'] },
      { epoch: 9 },
      { permissions: [{ action: 'api::tag.tag.delete' }] },
      { __proto__: null, constructor: {} },
    ]) {
      const answer = await root.send('POST', PEOPLE, { ...person, ...more })
      expect(answer.status, JSON.stringify(more)).to.equal(400)
    }
    expect((await manager.send('PUT', '/admin/me', { roles: ['administrator'] })).status).to.equal(
      400,
    )
    expect((await manager.send('PUT', '/admin/me', { email: 'x@example.org' })).status).to.equal(
      400,
    )
    const changed = await manager.send('PUT', '/admin/me', { name: 'Mia', language: 'de' })
    expect(changed.body.data).to.include({ name: 'Mia', language: 'de', theme: null })
    const dark = await manager.send('PUT', '/admin/me', { theme: 'dark' })
    expect(dark.body.data).to.include({ language: 'de', theme: 'dark' })
    const bright = await manager.send('PUT', '/admin/me', { theme: 'bright' })
    expect(bright.body.error.details.errors[0].path).to.deep.equal(['theme'])
    const system = await manager.send('PUT', '/admin/me', { theme: null })
    expect(system.body.data).to.include({ name: 'Mia', theme: null })
  })

  it('refuses to invite an administrator without a role', async () => {
    const body = { name: 'Roleless', email: 'roleless@example.org', roles: [] }
    const answer = await root.send('POST', PEOPLE, body)
    expect(answer.status).to.equal(400)
    expect(answer.body.error.details.errors[0].path).to.deep.equal(['roles'])
  })

  it('refuses the email of another administrator', async () => {
    const body = { name: 'Twin', email: 'ROOT@example.org', roles: ['author'] }
    const answer = await root.send('POST', PEOPLE, body)
    expect(answer.body.error.details.errors[0].path).to.deep.equal(['email'])
  })

  it('refuses to delete or demote the last full administrator', async () => {
    const path = `${PEOPLE}/${ids['Root']}`
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PUT', { roles: ['editor'] }],
    ] as const) {
      const sent = { ...(body && { body }) }
      const answer = await server.send(method, path, sent)
      expect(answer.headers['error-code'], answer.text).to.equal('last_administrator')
    }
  })

  it('keeps one full administrator when all are demoted at the same time', async () => {
    const others = await Promise.all(
      ['One', 'Two', 'Three'].map((name) => addAdministrator(server, name, ['administrator'])),
    )
    const all = [ids['Root'], ...others.map(({ id }) => id)]
    const answers = await Promise.all(
      all.map((id) => server.send('PUT', `${PEOPLE}/${id}`, { body: { roles: ['editor'] } })),
    )
    expect(answers.map(({ status }) => status).sort(ascending)).to.deep.equal([200, 200, 200, 400])
    const people: Json[] = (await server.get(PEOPLE)).body.data
    const left = people.filter(({ roles }) => roles.includes('administrator'))
    expect(left).to.have.length(1)
    const body = { roles: ['administrator'] }
    await server.send('PUT', `${PEOPLE}/${ids['Root']}`, { body })
  })

  it('sets a password once per reset link and ends the open sessions', async () => {
    const { link } = (await root.send('POST', `${PEOPLE}/${ids['Author']}/reset`)).body.data
    expect(link).to.match(/\/studio\/choose-password#token=[\w-]{43}$/)
    const before = await signIn(server, 'author@example.org')
    const body = { token: link.split('#token=')[1], password: 'chosen by the link' }
    const choose = () =>
      server.send('POST', '/admin/reset-password', {
        token: null,
        body,
        headers: { 'sec-fetch-site': 'same-origin' },
      })
    const answers = await Promise.all([choose(), choose()])
    expect(answers.map(({ status }) => status).sort(ascending)).to.deep.equal([200, 400])
    expect((await before.send('GET', '/admin/session')).status).to.equal(401)
    await signIn(server, 'author@example.org', 'chosen by the link')
  })

  it('rejects a reset link that was created before a change of the password', async () => {
    const { id, email } = await addAdministrator(server, 'Lena', ['author'])
    const makeLink = async (): Promise<string> => {
      const { link } = (await root.send('POST', `${PEOPLE}/${id}/reset`)).body.data
      return String(link).split('#token=')[1] ?? ''
    }
    const expectRefused = async (token: string): Promise<void> => {
      const body = { token, password: 'chosen by an old link' }
      const headers = { 'sec-fetch-site': 'same-origin' }
      const path = '/admin/reset-password'
      const answer = await server.send('POST', path, { token: null, body, headers })
      expect(answer.headers['error-code'], answer.text).to.equal('invalid_link')
    }
    const first = await makeLink()
    const set = await root.send('PUT', `${PEOPLE}/${id}`, { password: 'set by somebody' })
    expect(set.status, set.text).to.equal(200)
    await expectRefused(first)
    const client = await signIn(server, email, 'set by somebody')
    const second = await makeLink()
    const change = { currentPassword: 'set by somebody', password: PASSWORD }
    expect((await client.send('POST', '/admin/me/password', change)).status).to.equal(204)
    await expectRefused(second)
    await signIn(server, email)
  })

  it('validates the actions and locales of a role', async () => {
    const role = { type: 'odd', name: 'Odd' }
    const wrong: readonly (readonly [object, string])[] = [
      [[{ action: 'api::article.article.fly' }], 'permissions.0.action'],
      [[{ action: 'api::tag.tag.find', locales: ['fr'] }], 'permissions.0.locales'],
      [[{ action: 'api::article.article.find', locales: [] }], 'permissions.0.locales'],
      [['api::article.article.find'], 'permissions.0'],
      [[{ action: 'api::tag.tag.find' }, { action: 'api::tag.tag.find' }], 'permissions.1'],
    ]
    for (const [permissions, path] of wrong) {
      const answer = await root.send('POST', ROLES, { ...role, permissions })
      const [fault] = answer.body.error.details.errors
      expect(fault.path.join('.'), answer.text).to.equal(path)
    }
    const answer = await root.send('POST', PEOPLE, {
      name: 'Odd',
      email: 'odd@example.org',
      roles: ['nothing'],
    })
    expect(answer.body.error.details.errors[0].path).to.deep.equal(['roles'])
  })

  it('has three built-in roles that follow the content-types and cannot be changed', async () => {
    const roles: Json[] = (await root.send('GET', ROLES)).body.data
    const [administrator, editor, author] = roles
    expect(
      [administrator, editor, author].map(({ type, builtIn }) => [type, builtIn]),
    ).to.deep.equal([
      ['administrator', true],
      ['editor', true],
      ['author', true],
    ])
    const names = ({ permissions }: Json) => permissions.map(({ action }: Json) => action)
    expect(names(editor)).to.include('api::article.article.publish')
    expect(names(editor)).to.not.include('plugin::users-permissions.user.find')
    expect(names(author)).to.not.include('api::article.article.publish')
    expect(names(author)).to.not.include('api::article.article.delete')
    const changed = await root.send('PUT', `${ROLES}/editor`, { permissions: [] })
    expect(changed.status).to.equal(400)
    expect((await root.send('DELETE', `${ROLES}/author`)).status).to.equal(400)
    const used = await root.send('DELETE', `${ROLES}/manager`)
    expect(used.headers['error-code']).to.equal('role_in_use')
  })
})
