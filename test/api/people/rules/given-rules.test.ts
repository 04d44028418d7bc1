import { expect } from 'chai'
import {
  addAdministrator,
  addRole,
  type AdminClient,
  signIn,
} from '../../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../../support/server.ts'

const NOTE = 'api::note.note'
const ROLE = 'plugin::users-permissions.role'
const OWN = { action: `${NOTE}.find`, where: { createdBy: '$user' } }
const OPEN = { action: `${NOTE}.find`, where: { text: 'open' } }

describe('rules of roles and tokens over HTTP', () => {
  let server: TestServer
  let manager: AdminClient
  let token: string

  before(async () => {
    server = await serve('given_rules', {
      contentTypes: {
        note: declare('note', { text: { type: 'string' }, secret: { type: 'string' } }),
      },
      environment: { RATE_LIMIT: 'off' },
    })
    const kinds = ['administrator-roles', 'roles', 'api-tokens']
    const verbs = ['read', 'create', 'update', 'delete']
    const rights = kinds.flatMap((kind) => verbs.map((verb) => `admin::${kind}.${verb}`))
    await addRole(server, 'manager', rights)
    const body = { rules: [OWN] }
    const changed = await server.send('PUT', '/admin/administrator-roles/manager', { body })
    expect(changed.status, changed.text).to.equal(200)
    await addAdministrator(server, 'Manager', ['manager'])
    manager = await signIn(server, 'manager@example.org')
    const permissions = ['createRole', 'updateRole', 'deleteRole', 'findOne'].map(
      (verb) => `${ROLE}.${verb}`,
    )
    const made = await server.send('POST', '/admin/api-tokens', {
      body: { name: 'roles', type: 'custom', permissions, rules: [OPEN] },
    })
    expect(made.status, made.text).to.equal(201)
    token = made.body.data.accessKey
  })
  after(() => server.close())

  const doors: readonly (readonly [string, object])[] = [
    ['/admin/roles', { type: 'reader', name: 'Reader' }],
    ['/admin/api-tokens', { type: 'custom', name: 'reader' }],
    ['/admin/administrator-roles', { type: 'reader', name: 'Reader' }],
  ]
  for (const [path, given] of doors) {
    it(`grants an action under the own rule only: ${path}`, async () => {
      const give = (more: object): Promise<Answer> =>
        manager.send('POST', path, { ...given, ...more })
      const permission = path.endsWith('or-roles') ? { action: OWN.action } : OWN.action
      expect((await give({ permissions: [permission] })).status).to.equal(403)
      expect((await give({ permissions: [], rules: [OPEN] })).status).to.equal(403)
      expect((await give({ permissions: [], rules: [{ action: OWN.action }] })).status).to.equal(
        403,
      )
      const made = await give({ permissions: [], rules: [OWN] })
      expect(made.status, made.text).to.equal(201)
      expect(made.body.data.rules).to.deep.equal([OWN])
      const { type, id } = made.body.data
      const own = `${path}/${path.endsWith('tokens') ? id : type}`
      const wider = await manager.send('PUT', own, { rules: [OWN, OPEN] })
      expect(wider.status, wider.text).to.equal(403)
      const gone = await manager.send('DELETE', own)
      expect(gone.status, gone.text).to.equal(200)
    })

    it(`refuses one of several rules that show only their common attributes: ${path}`, async () => {
      const wide = { ...OPEN, fields: ['text', 'secret'] }
      const narrow = { ...OWN, fields: ['text'] }
      const name = path.slice('/admin/'.length)
      const rights = [`admin::${name}.create`, `admin::administrator-roles.update`]
      const role = `lesser-${name}`
      await addRole(server, role, rights)
      const body = { rules: [wide, narrow] }
      const changed = await server.send('PUT', `/admin/administrator-roles/${role}`, { body })
      expect(changed.status, changed.text).to.equal(200)
      await addAdministrator(server, role, [role])
      const lesser = await signIn(server, `${role}@example.org`)
      const made = await lesser.send('POST', path, { ...given, permissions: [], rules: [wide] })
      expect(made.status, made.text).to.equal(403)
      const widened = await lesser.send('PUT', `/admin/administrator-roles/${role}`, {
        rules: [wide],
      })
      expect(widened.status, widened.text).to.equal(403)
    })

    it(`refuses a rule that does not fit, with its path: ${path}`, async () => {
      const rules = [OWN, { action: OWN.action, where: { none: 'a' } }]
      const body = { ...given, permissions: [], rules }
      const { status, body: answer } = await server.send('POST', path, { body })
      expect(status).to.equal(400)
      const [fault] = answer.error.details.errors
      expect(fault).to.include({ message: 'Invalid key none', code: 'rule.where' })
      expect(fault.path).to.deep.equal(['rules', '1', 'where'])
    })
  }

  it('keeps rules through a client that only knows the format of Strapi', async () => {
    const path = '/api/users-permissions/roles'
    const made = await server.send('POST', path, {
      token,
      body: { name: 'Guest', permissions: {}, rules: [OPEN] },
    })
    expect(made.status, made.text).to.equal(200)
    const refused = await server.send('POST', path, {
      token,
      body: { name: 'Other', permissions: {}, rules: [OWN] },
    })
    expect(refused.status).to.equal(403)
    const { roles } = (await server.get(path)).body
    const { id } = roles.find(({ type }: Json) => type === 'guest')
    const { role } = (await server.get(`${path}/${id}`, { token })).body
    expect(role.rules).to.deep.equal([OPEN])
    const { find } = role.permissions['api::note'].controllers.note
    expect(find).to.deep.equal({ enabled: false, policy: '' })
    const { rules: _, ...known } = role
    const changed = await server.send('PUT', `${path}/${id}`, {
      token,
      body: { ...known, name: 'Visitor' },
    })
    expect(changed.status, changed.text).to.equal(200)
    const after = (await server.get(`${path}/${id}`, { token })).body.role
    expect([after.name, after.rules]).to.deep.equal(['Visitor', [OPEN]])
    const none = await server.send('PUT', `${path}/${id}`, { token, body: { rules: [] } })
    expect(none.status, none.text).to.equal(200)
    expect((await server.get(`${path}/${id}`, { token })).body.role.rules).to.deep.equal([])
  })

  it('records who has changed rules', async () => {
    const body = { rules: [OPEN] }
    const changed = await manager.send('PUT', '/admin/roles/public', body)
    expect(changed.status).to.equal(403)
    const own = await manager.send('PUT', '/admin/roles/public', { rules: [OWN] })
    expect(own.status, own.text).to.equal(200)
    await server.settled()
    const { body: audit } = await server.get('/admin/audit?by[kind]=administrator')
    const [last] = audit.data
    expect(last.by.kind).to.equal('administrator')
    expect(last.items.map(({ type, op }: Json) => [type, op])).to.deep.equal([
      ['plugin::users-permissions.role', 'put'],
    ])
  })
})
