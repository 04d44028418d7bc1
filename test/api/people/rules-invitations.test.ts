import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { addMember, type Member, setRules } from './rules-world.ts'

const USERS = 'plugin::users-permissions.user'
const many = { type: 'relation', relation: 'manyToMany', target: USERS }

const LIST = declare('list', {
  name: { type: 'string' },
  owner: { type: 'relation', relation: 'manyToOne', target: USERS },
  members: many,
  guests: many,
  rows: { type: 'component', component: 'shared.row' },
})

const OWN = { owner: '$user' }
const SHARED = { $or: [OWN, { members: '$user' }] }

describe('invitations under rules', () => {
  let server: TestServer
  let ann: Member
  let bob: Member
  let list: string

  before(async () => {
    const row = { attributes: { people: many } }
    server = await serve('rules_invitations', {
      contentTypes: { list: LIST, 'components/shared/row': row },
    })
    ann = await addMember(server, 'ann')
    bob = await addMember(server, 'bob')
    await setRules(server, 'authenticated', [
      { action: 'api::list.list.find', where: SHARED },
      { action: 'api::list.list.findOne', where: SHARED },
      { action: 'api::list.list.create', fields: ['name'], set: OWN },
      { action: 'api::list.list.update', where: OWN, fields: ['name', 'members', 'rows'] },
      { action: 'api::list.list.update', where: { members: '$user' }, fields: ['name'] },
    ])
    const made = await server.post('/api/lists', { name: 'Groceries' }, { token: ann.token })
    list = made.body.data.documentId
  })
  after(() => server.close())

  const write = (who: Member, data: object): Promise<Json> =>
    server.send('PUT', `/api/lists/${list}`, { body: { data }, token: who.token })
  const connect = (who: Member, ...ids: readonly unknown[]): Promise<Json> =>
    write(who, { members: { connect: ids } })
  const membersOf = async (): Promise<readonly string[]> => {
    const { body } = await server.get(`/api/lists/${list}?populate[members][fields]=username`)
    return body.data.members.map(({ username }: Json) => username)
  }
  const seenBy = async ({ token }: Member): Promise<number> =>
    (await server.get(`/api/lists/${list}`, { token })).status

  it('takes documentIds of users from the owner, who cannot find users', async () => {
    expect(await seenBy(bob)).to.equal(404)
    const invited = await connect(ann, bob.documentId)
    expect(invited.status, JSON.stringify(invited.body)).to.equal(200)
    expect(JSON.stringify(invited.body)).to.not.include(bob.documentId)
    expect(await membersOf()).to.deep.equal(['bob'])
    expect(await seenBy(bob)).to.equal(200)
    const populated = await server.get(`/api/lists/${list}?populate[members]=true`, {
      token: ann.token,
    })
    expect(populated.text).to.include('Groceries').and.not.include('bob')
    expect((await write(ann, { members: { disconnect: [bob.documentId] } })).status).to.equal(200)
    expect(await seenBy(bob)).to.equal(404)
  })

  it('refuses numbers, unknown ids, and relations inside components', async () => {
    const { body } = await server.get('/api/users?filters[username]=bob')
    for (const ids of [[body[0].id], [{ id: body[0].id }], [bob.documentId, body[0].id]]) {
      const refused = await connect(ann, ...ids)
      expect(refused.status).to.equal(400)
      expect(refused.body.error.message).to.equal('Invalid key members')
    }
    expect((await connect(ann, 'a'.repeat(24))).status).to.equal(400)
    const nested = await write(ann, { rows: { people: { connect: [bob.documentId] } } })
    expect(nested.body.error.message).to.equal('Invalid key people')
    expect(await membersOf()).to.deep.equal([])
  })

  it('refuses attributes and callers beyond the rules', async () => {
    expect((await write(ann, { guests: { connect: [bob.documentId] } })).status).to.equal(403)
    expect((await connect(bob, bob.documentId)).status).to.equal(404)
    await connect(ann, bob.documentId)
    expect((await write(bob, { name: 'Ours' })).status).to.equal(200)
    expect((await connect(bob, ann.documentId)).status).to.equal(403)
    expect((await write(bob, { members: [] })).status).to.equal(403)
  })

  it('shows by no error whether a user exists or is a member', async () => {
    const cid = await addMember(server, 'cid')
    const dan = await addMember(server, 'dan')
    await connect(ann, bob.documentId, cid.documentId)
    const before = (reference: string) => ({
      documentId: dan.documentId,
      position: { before: reference },
    })
    for (const [who, status] of [
      [bob, 403],
      [dan, 404],
    ] as const) {
      const answers = [
        await connect(who, before(cid.documentId)),
        await connect(who, before(dan.documentId)),
        await connect(who, before(ann.documentId)),
        await connect(who, dan.documentId),
        await connect(who, 'a'.repeat(24)),
      ]
      expect(answers.map((answer) => answer.status)).to.deep.equal(Array(5).fill(status))
      expect(new Set(answers.map(({ body }) => body.error.message)).size).to.equal(1)
    }
    expect((await connect(ann, before(ann.documentId))).status).to.equal(400)
    expect((await write(bob, { name: 7 })).status).to.equal(400)
  })

  it('needs the permission to find users without a rule that names the attribute', async () => {
    const seen = ['find', 'findOne'].map((verb) => ({
      action: `api::list.list.${verb}`,
      where: OWN,
    }))
    for (const rules of [[...seen, { action: 'api::list.list.update', where: OWN }], []]) {
      const permissions = rules.length === 0 ? ['api::list.list.update'] : []
      await setRules(server, 'authenticated', rules, permissions)
      const refused = await connect(ann, bob.documentId)
      expect(refused.status).to.equal(400)
      expect(refused.body.error.message).to.equal('Invalid key members')
    }
  })
})
