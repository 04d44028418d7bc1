import { memoryStorage, PushDelayed, sqliteStorage } from '@quire/client/sync'
import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { MongoClient } from 'mongodb'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createdDocumentId as expectedId } from '../../../src/changes/push/push-request.ts'
import { addMember, type Member } from '../../api/people/rules-world.ts'
import type { Json, TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { openDevice, type OutboxDevice, serveOutbox } from './outbox-world.ts'
import { openSqliteFile } from './sqlite-database.ts'

const isPush = (input: Parameters<typeof fetch>[0]): boolean => (input as string).includes('_push')

const WAIT_MS = 30_000

describe('a store with changes of its user', () => {
  let server: TestServer
  let anna: Member

  before(async () => {
    server = await serveOutbox('outbox')
    anna = await addMember(server, 'anna')
  })
  after(() => server.close())

  const read = async (id: string, plural = 'notes', query = ''): Promise<Json> =>
    (await server.get(`/api/${plural}/${id}?populate=*${query}`)).body.data
  const add = async (data: object): Promise<string> =>
    (await server.post('/api/notes', data)).body.data.documentId
  const titleOf = (device: OutboxDevice, id: string): unknown => device.notes.get(id)?.title
  const pending = (device: OutboxDevice): readonly number[] => device.$pending.map(({ n }) => n)
  /** A device with the current content. */
  const open = async (options: Parameters<typeof openDevice>[2] = {}): Promise<OutboxDevice> => {
    const device = await openDevice(server, anna, options)
    await server.settled()
    await device.$sync()
    return device
  }
  const offline: typeof fetch = () => Promise.reject(new TypeError('fetch failed'))
  const fails = async (work: Promise<unknown>, text: RegExp): Promise<void> => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(String(error)).to.match(text)
  }

  it('shows a change that was pushed during the request of the first page', async () => {
    let answer = (): void => undefined
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    let pages = 0
    const device = await openDevice(server, anna, {
      fetch: async (...request) => {
        if (isPush(request[0])) return fetch(...request)
        pages += 1
        if (pages > 1) return offline(...request)
        const response = await fetch(...request)
        await answered
        return response
      },
    })
    const first = device.$sync()
    await until(() => pages === 1, WAIT_MS)
    await server.settled()
    const created = await device.notes.create({ title: 'meanwhile' })
    await fails(device.$sync(), /fetch failed/)
    expect(device.$pending).to.deep.equal([])
    answer()
    await first
    expect(titleOf(device, created)).to.equal('meanwhile')
  })

  it('shows changes at once, keeps them over a restart and sends them', async () => {
    const kept = await add({ title: 'kept', stock: 1 })
    const removed = await add({ title: 'removed' })
    const storage = memoryStorage()
    const device = await open({ storage })
    const created = await device.notes.create({ title: 'on the plane' })
    await device.notes.update(kept, { title: 'changed' })
    await device.notes.patch(kept, { stock: { inc: 2 } })
    await device.notes.delete(removed)
    const shows = (store: OutboxDevice): void => {
      expect(store.notes.get(created)).to.include({ title: 'on the plane', id: -1 })
      expect(store.notes.get(kept)).to.include({ title: 'changed', stock: 3 })
      expect(store.notes.get(removed)).to.equal(null)
      expect(store.notes.query({ sort: 'id' }).entries.at(-1)?.documentId).to.equal(created)
    }
    shows(device)
    expect(device.$pending.map(({ op, type }) => [op, type])).to.deep.equal([
      ['create', 'notes'],
      ['update', 'notes'],
      ['update', 'notes'],
      ['delete', 'notes'],
    ])
    await device.$close()
    const again = await openDevice(server, anna, { storage })
    shows(again)
    expect(pending(again)).to.deep.equal([1, 2, 3, 4])
    await again.$sync()
    expect(again.$pending).to.deep.equal([])
    expect(again.$conflicts).to.deep.equal([])
    expect(await read(created)).to.include({ title: 'on the plane' })
    expect(await read(kept)).to.include({ title: 'changed', stock: 3 })
    expect((await server.get(`/api/notes/${removed}`)).status).to.equal(404)
    await server.settled()
    await again.$sync()
    expect(again.notes.get(created)?.id).to.be.above(0)
    expect(again.notes.get(kept)).to.include({ title: 'changed', stock: 3 })
  })

  it('merges a change with those that arrived after the user saw the entry', async () => {
    const id = await add({ title: 'Plan', body: 'buy bread and milk' })
    const device = await open()
    await server.send('PUT', `/api/notes/${id}`, {
      body: { data: { title: 'Their plan', body: 'buy bread and cold milk' } },
    })
    await server.settled()
    await device.$sync()
    await device.notes.update(
      id,
      { body: 'buy fresh bread and milk' },
      { seen: { body: 'buy bread and milk' } },
    )
    await device.notes.update(id, { title: 'My plan' }, { seen: { title: 'Plan' } })
    expect(device.notes.get(id)).to.include({ title: 'My plan' })
    await device.$sync()
    expect(await read(id)).to.include({
      title: 'Their plan',
      body: 'buy fresh bread and cold milk',
    })
    const [conflict] = device.$conflicts
    expect(conflict?.attributes).to.deep.equal(['title'])
    expect(conflict?.base).to.deep.equal({ title: 'Plan' })
    expect(conflict?.theirs).to.deep.equal({ title: 'Their plan' })
    await server.settled()
    await device.$sync()
    await device.notes.update(id, { title: 'Ours' }, { seen: { title: 'Their plan' } })
    await device.$sync()
    expect(await read(id)).to.include({ title: 'Ours' })
  })

  it('derives the ids of creations like the server', async () => {
    const storage = memoryStorage()
    const device = await open({ storage })
    const id = await device.notes.create({ title: 'a' })
    const { rows } = await storage.load()
    const { client } = rows.find(({ documentId }) => documentId === 'state')?.data ?? {}
    expect(id).to.equal(expectedId(anna.documentId, String(client), 1))
  })

  it('shows an increment once, also while rows and outcomes arrive', async () => {
    const id = await add({ title: 'counter', stock: 0 })
    const device = await open()
    const shown: number[] = []
    device.$subscribe(() => shown.push(device.notes.get(id)?.stock ?? -1))
    for (let count = 1; count <= 5; count += 1) {
      await device.notes.patch(id, { stock: { inc: 1 } })
      await device.$sync()
      if (count % 2 === 0) await server.settled()
      await device.$sync()
    }
    await server.settled()
    await device.$sync()
    expect(shown).to.deep.equal([...shown].sort((one, other) => one - other))
    expect(device.notes.get(id)?.stock).to.equal(5)
    expect((await read(id)).stock).to.equal(5)
  })

  it('sends a request again whose response was lost, and applies it once', async () => {
    const id = await add({ title: 'once', stock: 0 })
    let isLost = true
    const device = await open({
      fetch: async (input, init) => {
        const answer = await fetch(input, init)
        if (!isLost || !isPush(input)) return answer
        isLost = false
        throw new TypeError('the response was lost')
      },
    })
    await device.notes.patch(id, { stock: { inc: 1 } })
    await fails(device.$sync(), /lost/)
    expect(device.$pending.map(({ isSent }) => isSent)).to.deep.equal([true])
    await fails(device.$discard(1), /sent already/)
    await server.settled()
    await device.$sync()
    expect(device.$pending).to.deep.equal([])
    expect((await read(id)).stock).to.equal(1)
    expect(device.notes.get(id)?.stock).to.equal(1)
  })

  it('shows a change until it knows of the conflict', async () => {
    const id = await add({ title: 'clash', stock: 0 })
    let isLost = true
    const device = await open({
      fetch: async (input, init) => {
        const answer = await fetch(input, init)
        if (!isLost || !isPush(input)) return answer
        return Response.json({ data: null, error: { status: 503 } }, { status: 503 })
      },
    })
    await device.notes.update(id, { title: 'mine' })
    await server.put(`/api/notes/${id}`, { title: 'theirs', stock: 3 })
    await server.settled()
    await fails(device.$sync(), /503/)
    expect(titleOf(device, id)).to.equal('mine')
    expect(device.notes.get(id)?.stock).to.equal(3)
    isLost = false
    await device.$sync()
    expect(device.$conflicts.map(({ n, code }) => [n, code])).to.deep.equal([
      [1, 'attribute_conflict'],
    ])
    expect(titleOf(device, id)).to.equal('theirs')
  })

  it('keeps conflicts until the app resolves them', async () => {
    const [first, second] = [await add({ title: 'a' }), await add({ title: 'b' })]
    const device = await open()
    for (const id of [first, second]) {
      await device.notes.update(id, { title: 'mine', stock: 7 })
      await server.put(`/api/notes/${id}`, { title: 'theirs' })
    }
    await device.$sync()
    expect(device.$pending).to.deep.equal([])
    expect(device.$conflicts[0]).to.deep.include({
      op: 'update',
      type: 'notes',
      documentId: first,
      outcome: 'conflict',
      code: 'attribute_conflict',
      attributes: ['title'],
      theirs: { title: 'theirs' },
    })
    expect(device.$conflicts[0]?.base).to.include({ title: 'a' })
    expect(device.$conflicts[0]?.mine).to.include({ title: 'mine', stock: 7 })
    await server.settled()
    await device.$sync()
    expect(titleOf(device, first)).to.equal('theirs')
    const [one, other] = device.$conflicts.map(({ n }) => n)
    await device.$retry(one ?? 0, { title: 'both' })
    await device.$discard(other ?? 0)
    expect(device.$conflicts).to.deep.equal([])
    expect(titleOf(device, first)).to.equal('both')
    await device.$sync()
    expect((await read(first)).title).to.equal('both')
    expect((await read(second)).title).to.equal('theirs')
  })

  it('merges with changes of others', async () => {
    const id = await add({ title: 'a', body: 'one two three' })
    const device = await open()
    await device.notes.update(id, { body: 'one two three four' })
    await device.notes.update(id, { body: 'one two three four five' })
    await server.put(`/api/notes/${id}`, { body: 'zero one two three' })
    await device.$sync()
    await server.settled()
    await device.$sync()
    expect(device.$conflicts).to.deep.equal([])
    expect(device.notes.get(id)?.body).to.equal('zero one two three four five')
  })

  it('keeps refused changes, and goes on with later ones', async () => {
    const device = await open()
    await device.notes.create({ title: 'x'.repeat(61) })
    const fine = await device.notes.create({ title: 'fine' })
    await device.$sync()
    expect((await read(fine)).title).to.equal('fine')
    const [refused] = device.$conflicts
    expect(refused).to.deep.include({ op: 'create', outcome: 'refused', theirs: null })
    expect(refused?.error?.status).to.equal(400)
    const id = await device.$retry(refused?.n ?? 0, { title: 'shorter' })
    expect(id).to.not.equal(refused?.documentId)
    await device.$sync()
    expect((await read(id)).title).to.equal('shorter')
  })

  it('does not stop at a change that the server does not understand', async () => {
    const id = await add({ title: 'a' })
    const device = await open()
    await device.notes.patch(id, { title: { unknown: 1 } as never })
    await device.notes.update(id, { stock: 3 })
    await device.$sync()
    expect(device.$pending).to.deep.equal([])
    expect(device.$conflicts.map(({ n, outcome }) => [n, outcome])).to.deep.equal([[1, 'refused']])
    expect((await read(id)).stock).to.equal(3)
    await device.notes.update(id, { stock: 4 })
    await device.$sync()
    expect((await read(id)).stock).to.equal(4)
  })

  it('takes back a change that was not sent', async () => {
    const id = await add({ title: 'a' })
    const device = await open()
    await device.notes.update(id, { title: 'b' })
    await device.notes.update(id, { stock: 3 })
    await device.$discard(1)
    expect(device.notes.get(id)).to.include({ title: 'a', stock: 3 })
    await device.$sync()
    expect(device.$conflicts).to.deep.equal([])
    expect(await read(id)).to.include({ title: 'a', stock: 3 })
  })

  it('reports changes with an unknown outcome after the server lost its log', async () => {
    const id = await add({ title: 'a', stock: 0 })
    let isCut = false
    const device = await open({
      fetch: (input, init) => (isCut && isPush(input) ? offline(input, init) : fetch(input, init)),
    })
    await device.notes.patch(id, { stock: { inc: 1 } })
    await device.$sync()
    isCut = true
    await device.notes.patch(id, { stock: { inc: 1 } })
    await fails(device.$sync(), /fetch failed/)
    await device.notes.update(id, { title: 'b' })
    isCut = false
    const mongo = await MongoClient.connect(server.uri)
    await mongo.db(server.database).collection('quire_clients').deleteMany({})
    await mongo.close()
    await device.$sync()
    expect(device.$conflicts.map(({ n, outcome, code }) => [n, outcome, code])).to.deep.equal([
      [2, 'unknown', 'unknown_outcome'],
    ])
    expect(await read(id)).to.include({ title: 'b', stock: 1 })
  })

  it('sends entries that refer to new entries', async () => {
    const tag = (await server.post('/api/tags', { name: `tag ${Date.now()}` })).body.data.documentId
    const device = await open()
    const id = await device.notes.create({ title: 'a', tags: [tag], lines: [{ text: 'one' }] })
    expect(device.notes.get(id, { populate: { tags: true } })?.tags).to.have.lengthOf(1)
    await device.notes.update(id, { tags: { disconnect: [tag] } })
    await device.$sync()
    const stored = await read(id)
    expect(stored.tags).to.deep.equal([])
    expect(stored.lines[0].text).to.equal('one')
  })

  it('changes drafts, publishes them and writes locales', async () => {
    const drafts = await open({ status: 'draft' })
    const page = await drafts.pages.create({ title: 'a page' })
    await drafts.pages.publish(page)
    await drafts.$sync()
    expect(drafts.$conflicts).to.deep.equal([])
    expect((await read(page, 'pages')).title).to.equal('a page')
    const device = await open()
    const greeting = await device.greetings.create({ word: 'hello' })
    await device.greetings.update(greeting, { word: 'salut' }, { locale: 'fr' })
    expect(device.greetings.get(greeting, { locale: 'fr' })?.word).to.equal('salut')
    await device.$sync()
    expect(device.$conflicts).to.deep.equal([])
    expect((await read(greeting, 'greetings', '&locale=fr')).word).to.equal('salut')
  })

  it('belongs to one user, and is cleared only on demand while changes are pending', async () => {
    const storage = memoryStorage()
    const device = await open({ storage })
    await fails(device.notes.update('unknown', { title: 'a' }), /no such entry/)
    const reader = await openDevice(server, anna, { user: undefined })
    await fails(reader.notes.create({ title: 'a' }), /needs `user`/)
    await device.notes.create({ title: 'pending' })
    const bert = await addMember(server, 'bert')
    await fails(openDevice(server, bert, { storage }), /another user/)
    await fails(device.$clear(), /has changes/)
    expect(device.$pending).to.have.lengthOf(1)
    await device.$clear({ force: true })
    expect(device.$pending).to.deep.equal([])
    expect(device.notes.query().entries).to.deep.equal([])
    expect((await storage.load()).rows).to.deep.equal([])
    await openDevice(server, bert, { storage })
  })

  it('sends a change at once while it waits for changes of others', async () => {
    const id = await add({ title: 'a' })
    const device = await open()
    let waits = 0
    device.$subscribe(() => {
      if (device.$status().phase === 'current') waits += 1
    })
    const stop = device.$follow()
    await until(() => waits > 0, WAIT_MS)
    await device.notes.update(id, { title: 'sent' })
    await until(async () => (await read(id)).title === 'sent', WAIT_MS)
    await until(() => device.$pending.length === 0, WAIT_MS)
    stop()
    await device.$close()
  })

  it('keeps the outbox in an SQLite file', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'quire-outbox-'))
    const database = openSqliteFile(path.join(folder, 'store.db'))
    const device = await open({ storage: sqliteStorage(database) })
    const id = await device.notes.create({ title: 'in a file' })
    const again = await openDevice(server, anna, { storage: sqliteStorage(database) })
    expect(titleOf(again, id)).to.equal('in a file')
    await again.$sync()
    expect((await read(id)).title).to.equal('in a file')
    await again.$clear()
    database.close()
    rmSync(folder, { recursive: true })
  })

  it('reports that the server asks for a later attempt', async () => {
    const device = await open({
      fetch: async (input, init) => {
        if (!isPush(input)) return fetch(input, init)
        const lines = [
          { log: null, last: 0 },
          { n: 1, outcome: 'retry' },
        ]
        return new Response(lines.map((line) => JSON.stringify(line)).join('\n'), {
          headers: { 'content-type': 'application/x-ndjson' },
        })
      },
    })
    await device.notes.create({ title: 'a' })
    const error = await device.$sync().catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(PushDelayed)
    expect(device.$status()).to.include({ phase: 'failed', error })
    expect(device.$pending).to.have.lengthOf(1)
  })
})
