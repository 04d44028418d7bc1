import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import type { ObservedCommand } from '../../../src/base/observed.ts'
import {
  Device,
  permitPushes,
  PUSH_ACTIONS,
  PUSHED_TYPES,
  setting,
} from '../../support/push-world.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'
import { setRules } from '../people/rules-world.ts'

describe('POST /api/_push with consecutive creations', () => {
  let server: TestServer
  let device: Device
  let rows: number[]

  before(async () => {
    server = await serve('push_groups', { contentTypes: PUSHED_TYPES })
    await permitPushes(server)
    device = await Device.of(server, 'anna')
    await device.create('note', { title: 'creates the collections' })
    await device.create('page', { title: 'creates the collections' })
    rows = []
    server.onCommand((command) => {
      const found = pushedRows(command)
      if (found !== null) rows.push(found)
    })
  })
  after(() => server.close())
  beforeEach(() => {
    rows.length = 0
  })

  /** How many creations each transaction stored, by the moves of the number of the client. */
  const pushedRows = ({ name, command }: ObservedCommand): number | null => {
    if (name !== 'update' || command['update'] !== 'quire_clients') return null
    const [{ u }] = command['updates'] as [Json]
    return u.$set?.last === undefined ? null : u.$set.last
  }

  const creations = (count: number, values: (index: number) => object, type = 'note') =>
    Array.from({ length: count }, (_, index) => ({
      op: 'create',
      type,
      documentId: device.newId(device.last + 1 + index),
      patch: setting({ ...values(index) }),
    }))
  const titles = async (plural = 'notes'): Promise<readonly string[]> => {
    const { data } = (await server.get(`/api/${plural}?pagination[pageSize]=100&sort=id`)).body
    return data.map(({ title }: Json) => title)
  }

  const commitsOf = async (type: string): Promise<number> => {
    const client = await MongoClient.connect(server.uri)
    const commits = client.db(server.database).collection('quire_commits')
    const count = await commits.countDocuments({
      'items.type': type,
      'by.id': device.member.documentId,
    })
    await client.close()
    return count
  }

  it('stores 25 of a type in a transaction, in order and with a commit each', async () => {
    const from = device.last
    const before = await commitsOf('api::note.note')
    const lines = await device.push(...creations(60, (index) => ({ title: `one ${index}` })))
    expect(lines.map(({ n, outcome }) => [n, outcome])).to.deep.equal(
      Array.from({ length: 60 }, (_, index) => [from + 1 + index, 'applied']),
    )
    expect(rows).to.deep.equal([from + 25, from + 50, from + 60])
    expect((await titles()).filter((title) => title.startsWith('one '))).to.deep.equal(
      Array.from({ length: 60 }, (_, index) => `one ${index}`),
    )
    expect(await commitsOf('api::note.note')).to.equal(before + 60)
  })

  it('writes the number of the client once for an update', async () => {
    const documentId = await device.create('note', { title: 'a' })
    const writes: string[] = []
    server.onCommand(({ name, command }) => {
      if (name === 'update' && command['update'] === 'quire_clients') writes.push(name)
    })
    const patch = setting({ title: 'b' })
    const update = { op: 'update', type: 'note', documentId, patch, seen: { title: 'a' } }
    const [updated] = await device.push({ ...update, base: 'other' })
    expect(updated.outcome).to.equal('applied')
    expect(writes).to.have.length(1)
  })

  it('stores drafts together with their published versions', async () => {
    const from = device.last
    const lines = await device.push(...creations(3, (index) => ({ title: `p ${index}` }), 'page'))
    expect(lines.map(({ outcome }) => outcome)).to.deep.equal(['applied', 'applied', 'applied'])
    expect(rows).to.deep.equal([from + 3])
    expect(await titles('pages')).to.include.members(['p 0', 'p 1', 'p 2'])
  })

  it('carries out each creation alone if one of them is refused', async () => {
    const from = device.last
    const lines = await device.push(
      ...creations(4, (index) => (index === 2 ? { mood: 'no title' } : { title: `two ${index}` })),
    )
    expect(lines.map(({ outcome }) => outcome)).to.deep.equal([
      'applied',
      'applied',
      'refused',
      'applied',
    ])
    expect(rows).to.deep.equal([from + 1, from + 2, from + 3, from + 4])
    expect((await titles()).filter((title) => title.startsWith('two '))).to.have.length(3)
  })

  it('creates no entry twice if the response is lost', async () => {
    const mutations = creations(5, (index) => ({ title: `three ${index}` })).map((one, index) => ({
      n: device.last + 1 + index,
      ...one,
    }))
    const { log } = device
    await device.send([device.head(), ...mutations])
    const again = await device.send([device.head(), ...mutations])
    const [head, ...lines] = again.text
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line))
    expect(head).to.deep.equal({ log, last: device.last + 5 })
    expect(lines.every(({ outcome, replayed }) => outcome === 'applied' && replayed)).to.equal(true)
    expect((await titles()).filter((title) => title.startsWith('three '))).to.have.length(5)
    device.last = head.last
    device.ack = head.last
  })

  it('stores creations under rules together, with the values that the server sets', async () => {
    const ruled = PUSH_ACTIONS.filter((action) => action !== 'api::note.note.create')
    await permitPushes(server, ruled)
    await setRules(server, 'authenticated', [
      { action: 'api::note.note.create', set: { owner: '$user' }, where: { stock: { $lt: 5 } } },
    ])
    const from = device.last
    const allowed = await device.push(...creations(4, () => ({ title: 'own', stock: 1 })))
    expect(allowed.map(({ outcome }) => outcome)).to.deep.equal(Array(4).fill('applied'))
    expect(rows).to.deep.equal([from + 4])
    const owners = await server.get('/api/notes?filters[title]=own&populate=owner')
    expect(owners.body.data.map(({ owner }: Json) => owner.documentId)).to.deep.equal(
      Array(4).fill(device.member.documentId),
    )
    const mixed = await device.push(
      ...creations(3, (index) => ({ title: 'mixed', stock: index === 1 ? 9 : 1 })),
    )
    expect(mixed.map(({ outcome }) => outcome)).to.deep.equal(['applied', 'refused', 'applied'])
    const stored = await server.get('/api/notes?filters[title]=mixed')
    expect(stored.body.data).to.have.length(2)
  })
})
