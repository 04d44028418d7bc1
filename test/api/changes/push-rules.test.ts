import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import {
  Device,
  permitPushes,
  PUSHED_TYPES,
  readPushed,
  setting,
} from '../../support/push-world.ts'
import { addEntry, setRules } from '../people/rules-world.ts'
import { serve, type TestServer } from '../../support/server.ts'

const NOTE = 'api::note.note'
const PAGE = 'api::page.page'
const OWN = { owner: '$user' }
const RULES = [
  ...['find', 'findOne', 'delete'].map((verb) => ({ action: `${NOTE}.${verb}`, where: OWN })),
  { action: `${NOTE}.create`, set: OWN },
  { action: `${NOTE}.update`, where: OWN, fields: ['title', 'stock'] },
]

describe('POST /api/_push under rules', () => {
  let server: TestServer
  let anna: Device
  let bert: Device

  before(async () => {
    server = await serve('push_rules', { contentTypes: PUSHED_TYPES })
    await permitPushes(server, [`${NOTE}.push`, 'plugin::users-permissions.user.find'])
    await setRules(server, 'authenticated', RULES)
    anna = await Device.of(server, 'anna')
    bert = await Device.of(server, 'bert')
  })
  after(() => server.close())

  const change = (documentId: string, patch: object, seen: object, base: unknown = 'x') => ({
    op: 'update',
    type: 'note',
    documentId,
    base,
    patch,
    seen,
  })

  it('lets a user write own entries, with the values that the server sets', async () => {
    const id = await anna.create('note', { title: 'a' })
    const [updated] = await anna.push(change(id, { title: { set: 'b' } }, { title: 'a' }))
    expect(updated).to.include({ outcome: 'applied' })
    const { data } = (await server.get(`/api/notes/${id}?populate=owner`)).body
    expect([data.title, data.owner.documentId]).to.deep.equal(['b', anna.member.documentId])
    const [field] = await anna.push(change(id, { mood: { set: 'x' } }, { mood: null }))
    expect(field).to.include({ outcome: 'refused', code: 'forbidden' })
  })

  it('applies the rules to patches without effect', async () => {
    const id = await anna.create('note', { title: 'a' })
    const same = change(id, { title: { set: 'a' } }, { title: 'a' })
    const [equal] = await anna.push(same)
    expect(equal).to.include({ outcome: 'applied', changed: false })
    const [hidden] = await bert.push(same)
    expect(hidden).to.include({ outcome: 'refused', code: 'not_found' })
    await setRules(server, 'authenticated', [
      ...['find', 'findOne', 'delete'].map((verb) => ({ action: `${NOTE}.${verb}`, where: OWN })),
      { action: `${NOTE}.create`, set: OWN },
    ])
    const [refused] = await anna.push(same)
    expect(refused).to.include({ outcome: 'refused', code: 'forbidden' })
    await setRules(server, 'authenticated', RULES)
  })

  it('shows nothing of hidden entries, whatever the mutation is based on', async () => {
    const hidden = await addEntry(server, '/api/notes', { title: 'canary', stock: 7 })
    const missing = 'm'.repeat(24)
    const ask = async (documentId: string) => {
      const base = { type: 'note', documentId }
      const mutations = [
        change(documentId, { title: { set: 'b' } }, { title: 'canary' }),
        change(documentId, { title: { set: 'b' } }, { title: 'other' }),
        change(documentId, { stock: { inc: 1 } }, { stock: 7 }, null),
        { ...base, op: 'delete', base: 'x' },
        { ...base, op: 'delete', base: null },
      ]
      const lines = await bert.push(...mutations)
      return lines.map(({ n: _n, ...line }) => line)
    }
    const answers = await ask(hidden.documentId)
    expect(answers).to.deep.equal(await ask(missing))
    expect(answers.map(({ code }) => code)).to.deep.equal(answers.map(() => 'not_found'))
    expect(JSON.stringify(answers)).not.to.include('canary')
    const { data } = (await server.get(`/api/notes/${hidden.documentId}`)).body
    expect(data).to.include({ title: 'canary', stock: 7 })
  })

  it('tells its creator that an entry exists, after the client was forgotten', async () => {
    const device = await Device.of(server, 'carla')
    const documentId = await device.create('note', { title: 'mine' })
    const client = await MongoClient.connect(server.uri)
    await client
      .db(server.database)
      .collection('quire_clients')
      .deleteMany({ user: device.member.documentId })
    await client.close()
    const head = { ...device.head(), log: null, ack: 0 }
    const again = { n: 1, op: 'create', type: 'note', documentId, patch: setting({ title: 'new' }) }
    const { lines } = readPushed(await device.send([head, again]))
    expect(lines[0]).to.include({ outcome: 'conflict', code: 'document_exists' })
    expect(lines[0]?.theirs).to.include({ title: 'mine' })
  })

  it('shows no values of a conflict again that the user may not read any more', async () => {
    const id = await anna.create('note', { title: 'a' })
    await server.put(`/api/notes/${id}`, { title: 'theirs' })
    const lines = [
      anna.head(),
      { n: anna.last + 1, ...change(id, { title: { set: 'mine' } }, { title: 'a' }) },
    ]
    const first = readPushed(await anna.send(lines))
    expect(first.lines[0]).to.deep.include({ outcome: 'conflict', theirs: { title: 'theirs' } })
    await server.put(`/api/notes/${id}`, { title: 'canary', owner: bert.member.documentId })
    const second = readPushed(await anna.send(lines))
    expect(second.lines[0]).to.deep.include({ outcome: 'conflict', theirs: null, replayed: true })
  })

  it('applies the rules of publish to stores of published entries', async () => {
    const open = { text: { $ne: 'locked' } }
    const verbs = ['find', 'findOne', 'create', 'update', 'push']
    const before = (await server.get('/admin/roles/authenticated')).body.data
    const permissions = [...before.permissions, ...verbs.map((verb) => `${PAGE}.${verb}`)]
    const body = {
      permissions,
      rules: [...before.rules, { action: `${PAGE}.publish`, where: open }],
    }
    const changed = await server.send('PUT', '/admin/roles/authenticated', { body })
    expect(changed.status, changed.text).to.equal(200)
    const device = await Device.of(server, 'dora')
    const id = await device.create('page', { title: 'a', text: 'open' })
    const of = (text: string, seen: string) => ({
      op: 'update',
      type: 'page',
      documentId: id,
      base: 'x',
      patch: { text: { set: text } },
      seen: { text: seen },
    })
    const [applied] = await device.push(of('new', 'open'))
    expect(applied).to.include({ outcome: 'applied' })
    const [refused] = await device.push(of('locked', 'new'))
    expect(refused).to.include({ outcome: 'refused', code: 'forbidden' })
    const documentId = device.newId()
    const patch = setting({ title: 'b', text: 'locked' })
    const [creation] = await device.push({ op: 'create', type: 'page', documentId, patch })
    expect(creation).to.include({ outcome: 'refused', code: 'forbidden' })
    expect((await server.get(`/api/pages/${documentId}`)).status).to.equal(404)
    expect((await server.get(`/api/pages/${id}`)).body.data).to.include({ text: 'new' })
  })

  it('keeps the clients of users apart', async () => {
    const foreign = {
      n: 1,
      op: 'create',
      type: 'note',
      documentId: anna.newId(1),
      patch: setting({ title: 'a' }),
    }
    const answer = await bert.send([{ client: anna.client, log: null }, foreign])
    expect(answer.status).to.equal(400)
    const own = await bert.send([{ client: anna.client, log: anna.log }])
    expect([own.status, own.headers['error-code']]).to.deep.equal([409, 'push_log_changed'])
  })
})
