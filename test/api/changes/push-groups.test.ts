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
import { type Answer, type Json, serve, type TestServer } from '../../support/server.ts'
import { setRules } from '../people/rules-world.ts'

describe('POST /api/_push with consecutive mutations', () => {
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

  /** The number of the client after each transaction. */
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

  it('stores the creations before a refused one together, and the others alone', async () => {
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
    expect(rows).to.deep.equal([from + 2, from + 3, from + 4])
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

  const createAll = async (count: number, values: object, type = 'note') => {
    const mutations = creations(count, () => values, type)
    const lines = await device.push(...mutations)
    return mutations.map(({ documentId }, index) => {
      expect(lines[index]?.outcome, JSON.stringify(lines[index])).to.equal('applied')
      return { documentId, base: String(lines[index]?.revision) }
    })
  }
  type Entry = Awaited<ReturnType<typeof createAll>>[number]

  const update = (entry: object, from: object, to: object, type = 'note'): object => ({
    op: 'update',
    type,
    ...entry,
    patch: setting({ ...to }),
    seen: from,
  })
  /** The first part of the entity tag. */
  const revisionIn = (answer: Answer | undefined): string =>
    /^"(\w+)/.exec(String(answer?.headers['etag']))?.[1] ?? ''
  const remove = (entry: object): object => ({ op: 'delete', type: 'note', ...entry })

  describe('of stored entries', () => {
    beforeEach(() => permitPushes(server))

    for (const type of ['note', 'page']) {
      it(`stores updates of ${type}s together, with a commit each`, async () => {
        const entries = await createAll(30, { title: 'old' }, type)
        const before = await commitsOf(`api::${type}.${type}`)
        const from = device.last
        rows.length = 0
        const lines = await device.push(
          ...entries.map((entry, index) =>
            update(entry, { title: 'old' }, { title: `${type} ${index}` }, type),
          ),
        )
        expect(lines.map(({ outcome }) => outcome)).to.deep.equal(Array(30).fill('applied'))
        expect(rows).to.deep.equal([from + 25, from + 30])
        expect(await commitsOf(`api::${type}.${type}`)).to.equal(before + 30)
        const found = await Promise.all(
          entries.map(({ documentId }) => server.get(`/api/${type}s/${documentId}`)),
        )
        expect(found.map(({ body }) => body.data.title)).to.deep.equal(
          entries.map((_, index) => `${type} ${index}`),
        )
      })
    }

    it('stores creations, updates and deletions of different entries together', async () => {
      const [one, other, gone] = (await createAll(3, { title: 'old' })) as [Entry, Entry, Entry]
      const from = device.last
      rows.length = 0
      const documentId = device.newId(from + 2)
      const lines = await device.push(
        update(one, { title: 'old' }, { title: 'one' }),
        { op: 'create', type: 'note', documentId, patch: setting({ title: 'new' }) },
        remove(gone),
        update(other, { title: 'old' }, { title: 'other' }),
      )
      expect(lines.map(({ outcome }) => outcome)).to.deep.equal(Array(4).fill('applied'))
      expect(rows).to.deep.equal([from + 4])
      const ids = [one.documentId, documentId, gone.documentId, other.documentId]
      const found = await Promise.all(ids.map((id) => server.get(`/api/notes/${id}`)))
      expect(found.map(({ status, body }) => [status, body.data?.title])).to.deep.equal([
        [200, 'one'],
        [200, 'new'],
        [404, undefined],
        [200, 'other'],
      ])
      expect(lines[3]?.revision).to.equal(revisionIn(found[3]))
    })

    it('begins a new transaction with the second mutation of an entry', async () => {
      const [one, other] = (await createAll(2, { title: 'a' })) as [Entry, Entry]
      const from = device.last
      rows.length = 0
      const lines = await device.push(
        update(one, { title: 'a' }, { title: 'b' }),
        update(other, { title: 'a' }, { title: 'b' }),
        update({ ...one, base: { n: from + 1 } }, { title: 'b' }, { title: 'c' }),
        remove({ ...other, base: { n: from + 2 } }),
      )
      expect(lines.map(({ outcome }) => outcome)).to.deep.equal(Array(4).fill('applied'))
      expect(rows).to.deep.equal([from + 2, from + 4])
    })

    it('carries out a conflict and the mutations after it alone', async () => {
      const entries = await createAll(5, { title: 'old' })
      const from = device.last
      rows.length = 0
      const lines = await device.push(
        ...entries.map((entry, index) =>
          index === 2
            ? update({ ...entry, base: 'another' }, { title: 'other' }, { title: 'mine' })
            : update(entry, { title: 'old' }, { title: 'mine' }),
        ),
      )
      expect(lines.map(({ outcome }) => outcome)).to.deep.equal([
        'applied',
        'applied',
        'conflict',
        'applied',
        'applied',
      ])
      expect(rows).to.deep.equal([from + 2, from + 3, from + 4, from + 5])
    })

    it('loses no change of two devices that update the same entries at once', async () => {
      const entries = await createAll(10, { title: 'shared', stock: 0 })
      const devices = await Promise.all(['berta', 'clara'].map((name) => Device.of(server, name)))
      const count = async (pushing: Device): Promise<void> => {
        for (let round = 0; round < 5; round += 1) {
          let left = entries.map(({ documentId }) => ({
            ...update({ documentId, base: 'unknown' }, { stock: 0 }, {}),
            patch: { stock: { inc: 1 } },
          }))
          while (left.length > 0) {
            const lines = await pushing.push(...left)
            const outcomes = lines.map(({ outcome }) => String(outcome))
            expect(outcomes).to.include.oneOf(['applied', 'merged'])
            expect(outcomes).not.to.include.oneOf(['conflict', 'refused'])
            left = left.slice(outcomes.filter((one) => one !== 'retry').length)
          }
        }
      }
      await Promise.all(devices.map(count))
      const { data } = (await server.get('/api/notes?filters[title]=shared')).body
      expect(data.map(({ stock }: Json) => stock)).to.deep.equal(Array(10).fill(10))
    })

    it('stores updates and deletions under rules together, and none of a foreign entry', async () => {
      const verbs = ['create', 'update', 'delete']
      const isRuled = (action: string): boolean =>
        verbs.some((verb) => action === `api::note.note.${verb}`)
      await permitPushes(
        server,
        PUSH_ACTIONS.filter((action) => !isRuled(action)),
      )
      await setRules(server, 'authenticated', [
        { action: 'api::note.note.create', set: { owner: '$user' } },
        { action: 'api::note.note.update', where: { owner: '$user' } },
        { action: 'api::note.note.delete', where: { owner: '$user' } },
      ])
      const own = await createAll(3, { title: 'own' })
      const foreign = await server.send('POST', '/api/notes', { body: { data: { title: 'own' } } })
      const { documentId } = foreign.body.data
      const base = revisionIn(await server.get(`/api/notes/${documentId}`))
      const [one, two, three] = own as [Entry, Entry, Entry]
      const from = device.last
      rows.length = 0
      const renamed = [{ title: 'own' }, { title: 'renamed' }] as const
      const allowed = await device.push(update(one, ...renamed), remove(two))
      expect(allowed.map(({ outcome }) => outcome)).to.deep.equal(['applied', 'applied'])
      expect(rows).to.deep.equal([from + 2])
      const mixed = await device.push(
        update(three, ...renamed),
        update({ documentId, base }, ...renamed),
        remove({ ...one, base: allowed[0]?.revision }),
      )
      expect(mixed.map(({ outcome, code }) => code ?? outcome)).to.deep.equal([
        'applied',
        'forbidden',
        'applied',
      ])
      expect(rows).to.deep.equal([from + 2, from + 3, from + 4, from + 5])
      expect((await server.get(`/api/notes/${documentId}`)).body.data.title).to.equal('own')
    })
  })
})
