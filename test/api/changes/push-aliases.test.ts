import { expect } from 'chai'
import { Device, permitPushes, pushed, setting } from '../../support/push-world.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const PART = { type: 'component', component: 'shared.part', repeatable: true } as const
const TAG = { type: 'relation', target: 'api::tag.tag' } as const

const CONTENT_TYPES = {
  note: pushed(
    declare('note', {
      label: { type: 'string', alias: ['name'], maxLength: 20 },
      body: { type: 'text', conflict: 'text', alias: ['content'] },
      mood: { type: 'string', conflict: 'server', alias: ['feeling'] },
      stock: { type: 'integer', alias: ['amount'] },
      topics: { ...TAG, relation: 'manyToMany', alias: ['tags'] },
      main: { ...TAG, relation: 'manyToOne', alias: ['chief'] },
      lines: { ...PART, alias: ['parts'] },
      one: { type: 'component', component: 'shared.part', alias: ['single'] },
      zone: { type: 'dynamiczone', components: ['shared.part'], alias: ['blocks'] },
      internal: { type: 'string', private: true, alias: ['inner'] },
    }),
  ),
  tag: declare('tag', { name: { type: 'string' } }),
  'components/shared/part': {
    attributes: {
      caption: { type: 'string', alias: ['heading'] },
      target: { ...TAG, relation: 'oneToOne', alias: ['goal'] },
    },
  },
}

const ACTIONS = [
  ...['find', 'findOne', 'sync', 'create', 'update', 'delete', 'push'].map(
    (verb) => `api::note.note.${verb}`,
  ),
  'api::tag.tag.find',
  'api::tag.tag.findOne',
]

describe('a push of an app that knows attributes by their aliases', () => {
  let server: TestServer
  let device: Device
  let tags: readonly string[]

  before(async () => {
    server = await serve('push_aliases', { contentTypes: CONTENT_TYPES })
    await permitPushes(server, ACTIONS)
    device = await Device.of(server, 'anna')
    const made: string[] = []
    for (const name of ['a', 'b']) {
      made.push((await server.post('/api/tags', { name })).body.data.documentId)
    }
    tags = made
  })
  after(() => server.close())

  const read = async (id: string): Promise<Json> => {
    const query = 'populate[topics]=true&populate[main]=true&populate[zone]=true'
    const { body, text } = await server.get(
      `/api/notes/${id}?${query}&populate[lines][populate]=target&populate[one][populate]=target`,
    )
    expect(body.data, text).to.be.an('object')
    return body.data
  }
  const row = async (id: string): Promise<Json> => {
    await server.settled()
    const { body, text } = await server.get('/api/_sync?types=note', {
      token: device.member.token,
    })
    const found = body.items.find(({ documentId }: Json) => documentId === id)
    expect(found, text).to.be.an('object')
    return found
  }
  const update = (documentId: string, base: unknown, patch: object, seen: object) => ({
    op: 'update',
    type: 'note',
    documentId,
    base,
    patch,
    seen,
  })
  const create = (values: Json): Promise<string> => device.create('note', values)

  it('creates an entry', async () => {
    const documentId = device.newId()
    const values = {
      name: 'n',
      amount: 2,
      tags,
      chief: tags[0],
      parts: [{ $key: 'k', heading: 'h', goal: tags[1] }],
      single: { heading: 's', goal: tags[0] },
      blocks: [{ __component: 'shared.part', heading: 'z' }],
    }
    const [line] = await device.push({
      op: 'create',
      type: 'note',
      documentId,
      patch: setting(values),
    })
    expect(line, JSON.stringify(line)).to.include({ outcome: 'applied' })
    const entry = await read(documentId)
    expect(line.keys).to.deep.equal({ parts: { k: entry.lines[0].id } })
    expect(entry).to.deep.include({ label: 'n', name: 'n', stock: 2 })
    expect(entry.topics.map((one: Json) => one.documentId)).to.deep.equal(tags)
    expect(entry.main.documentId).to.equal(tags[0])
    expect(entry.lines[0]).to.include({ caption: 'h' })
    expect(entry.lines[0].target.documentId).to.equal(tags[1])
    expect(entry.one).to.include({ caption: 's' })
    expect(entry.one.target.documentId).to.equal(tags[0])
    expect(entry.zone[0]).to.include({ caption: 'z' })
  })

  it('creates several entries in one transaction', async () => {
    const first = device.last + 1
    const lines = await device.push(
      ...['x', 'y'].map((name, index) => ({
        op: 'create',
        type: 'note',
        documentId: device.newId(first + index),
        patch: setting({ name, parts: [{ $key: 'k', heading: name }] }),
      })),
    )
    expect(lines.map(({ outcome }) => outcome)).to.deep.equal(['applied', 'applied'])
    for (const [index, name] of ['x', 'y'].entries()) {
      const entry = await read(device.newId(first + index))
      expect(entry).to.include({ label: name })
      expect(lines[index]?.keys).to.deep.equal({ parts: { k: entry.lines[0].id } })
    }
  })

  it('sets and adds to attributes', async () => {
    const id = await create({ label: 'a', stock: 1, main: tags[0] })
    const { revision } = await row(id)
    const [line] = await device.push(
      update(
        id,
        revision,
        { name: { set: 'b' }, amount: { inc: 2 }, chief: { set: tags[1] } },
        { name: 'a', amount: 1, chief: tags[0] },
      ),
    )
    expect(line, JSON.stringify(line)).to.include({ outcome: 'applied' })
    const entry = await read(id)
    expect(entry).to.include({ label: 'b', stock: 3 })
    expect(entry.main.documentId).to.equal(tags[1])
  })

  it('changes relations and lists of components', async () => {
    const id = await create({ topics: [tags[0]], lines: [{ caption: 'a' }], zone: [] })
    const { data, revision } = await row(id)
    expect(data.parts[0]).to.include({ caption: 'a', heading: 'a' })
    const [line] = await device.push(
      update(
        id,
        revision,
        {
          tags: { connect: [{ documentId: tags[1] }], disconnect: [tags[0]] },
          parts: { append: [{ $key: 'k', heading: 'b' }] },
          blocks: { append: [{ __component: 'shared.part', heading: 'c' }] },
        },
        { tags: data.tags, parts: data.parts, blocks: data.blocks },
      ),
    )
    expect(line, JSON.stringify(line)).to.include({ outcome: 'applied' })
    const entry = await read(id)
    expect(entry.topics.map((one: Json) => one.documentId)).to.deep.equal([tags[1]])
    expect(entry.lines.map(({ caption }: Json) => caption)).to.deep.equal(['a', 'b'])
    expect(entry.zone[0]).to.include({ caption: 'c' })
    expect(line.keys).to.deep.equal({ parts: { k: entry.lines[1].id } })
  })

  it('merges components by their attributes, with the values of a row as seen', async () => {
    const id = await create({ lines: [{ caption: 'a' }], one: { caption: 'a' } })
    const { data } = await row(id)
    await server.put(`/api/notes/${id}`, { stock: 7 })
    const [{ id: part }] = data.parts
    const [line] = await device.push(
      update(
        id,
        'x',
        {
          parts: { set: [{ id: part, heading: 'b' }] },
          single: { set: { id: data.single.id, heading: 'c', goal: tags[0] } },
        },
        { parts: data.parts, single: data.single },
      ),
    )
    expect(line, JSON.stringify(line)).to.include({ outcome: 'applied' })
    const entry = await read(id)
    expect(entry.lines[0]).to.include({ id: part, caption: 'b' })
    expect(entry.one).to.include({ caption: 'c' })
    expect(entry).to.include({ stock: 7 })
  })

  it('gets conflicts in the names that it sent, and stored values under both', async () => {
    const id = await create({ label: 'a', mood: 'a', lines: [{ caption: 'a' }] })
    const { data } = await row(id)
    const [{ id: part }] = data.parts
    await server.put(`/api/notes/${id}`, {
      label: 'theirs',
      mood: 'theirs',
      lines: [{ id: part, caption: 'theirs' }],
    })
    const { revision } = await row(id)
    const mine = [{ id: part, heading: 'mine' }]
    const mutation = update(
      id,
      'x',
      { name: { set: 'mine' }, parts: { set: mine } },
      { name: 'a', parts: data.parts },
    )
    const n = device.last + 1
    const [line] = await device.push(mutation)
    const lines = [{ id: part, caption: 'theirs', heading: 'theirs', target: null, goal: null }]
    const conflict = {
      n,
      outcome: 'conflict',
      code: 'attribute_conflict',
      attributes: ['name', 'parts'],
      base: { name: 'a', parts: data.parts },
      mine: { name: 'mine', parts: mine },
      theirs: { label: 'theirs', name: 'theirs', lines, parts: lines },
      revision,
    }
    expect(line).to.deep.equal(conflict)
    device.ack = n - 1
    const { text } = await device.send([device.head(), { n, ...mutation }])
    const repeated: Json = JSON.parse(text.trim().split('\n')[1] ?? '')
    expect(repeated).to.deep.equal({ ...conflict, replayed: true })
    const [merged] = await device.push(
      update(id, 'x', { feeling: { set: 'mine' } }, { feeling: 'a' }),
    )
    expect(merged).to.deep.include({ outcome: 'merged', attributes: ['feeling'] })
    const [deleted] = await device.push({ op: 'delete', type: 'note', documentId: id, base: 'x' })
    expect(deleted).to.include({ outcome: 'conflict', code: 'document_changed' })
    expect(deleted.theirs).to.include({ label: 'theirs', name: 'theirs' })
    expect(deleted.theirs.parts).to.deep.equal(deleted.theirs.lines)
  })

  it('is refused if an object has both names', async () => {
    const id = await create({ label: 'a', lines: [{ caption: 'a' }] })
    const { data, revision } = await row(id)
    const [{ id: part }] = data.parts
    const patches = [
      [
        { name: { set: 'b' }, label: { set: 'b' } },
        { name: 'a', label: 'a' },
      ],
      [{ lines: { set: [{ id: part, caption: 'b', heading: 'b' }] } }, { lines: data.lines }],
      [{ parts: { append: [{ caption: 'b', heading: 'b' }] } }, { parts: data.parts }],
    ] as const
    const ended = await device.push(
      ...patches.map(([patch, seen]) => update(id, revision, patch, seen)),
    )
    for (const line of ended) {
      expect(line, JSON.stringify(line)).to.include({ outcome: 'refused', code: 'invalid_key' })
      expect(line.error.status).to.equal(400)
    }
    expect(await row(id)).to.deep.include({ revision })
  })

  it('cannot reach private attributes by an alias', async () => {
    const id = await create({ label: 'a' })
    const [line] = await device.push(update(id, 'x', { inner: { set: 'b' } }, { inner: null }))
    expect(line).to.deep.include({
      outcome: 'conflict',
      code: 'unknown_attribute',
      attributes: ['inner'],
      mine: { inner: 'b' },
      theirs: null,
    })
  })
})
