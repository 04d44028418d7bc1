import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { Device, permitPushes, PUSHED_TYPES } from '../../support/push-world.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

interface Store {
  create(type: string, values: object): Promise<string>
  update(type: string, documentId: string, patch: object): Promise<void>
  remove(type: string, documentId: string): Promise<void>
  push(): Promise<void>
  sync(): Promise<void>
  rows(): Promise<readonly Json[]>
  pending(): Promise<readonly Json[]>
  conflicts(): Promise<readonly Json[]>
  resolve(n: number): Promise<void>
}

interface Client {
  memoryStorage(): object
  openStore(options: object): Store
}

const FILE = new URL('../../../../docs/push/client.mjs', import.meta.url)

describe('docs/push/client.mjs', () => {
  let server: TestServer
  let client: Client
  let owner: Device

  before(async () => {
    server = await serve('push_client', { contentTypes: PUSHED_TYPES })
    await permitPushes(server)
    client = (await import(FILE.href)) as Client
    owner = await Device.of(server, 'anna')
  })
  after(() => server.close())

  const open = (more: object = {}): Store =>
    client.openStore({
      url: `http://127.0.0.1:${server.port}`,
      token: owner.member.token,
      user: owner.member.documentId,
      types: 'note',
      storage: client.memoryStorage(),
      ...more,
    })
  const stored = async (id: string): Promise<Json> =>
    (await server.get(`/api/notes/${id}?populate=*`)).body.data
  const shown = async (store: Store, id: string): Promise<Json> =>
    (await store.rows()).find(({ documentId }) => documentId === id)?.data
  /** Syncs until nothing is pending. */
  const patiently = async (store: Store): Promise<void> => {
    for (let tries = 0; tries < 200; tries += 1) {
      await server.settled()
      await store.sync().catch((error: unknown) => {
        if (!(error instanceof TypeError)) throw error
      })
      if ((await store.pending()).length === 0) return
    }
    throw new Error(`still pending: ${JSON.stringify(await store.pending())}`)
  }

  it('imports nothing and has at most 300 lines', () => {
    const text = readFileSync(FILE, 'utf8')
    expect(text).not.to.match(/^import|import\(/m)
    expect(text.split('\n').length).to.be.at.most(301)
  })

  it('shows changes at once, and applies each of them once despite lost responses', async () => {
    let requests = 0
    const flaky = async (url: string, init: RequestInit): Promise<Response> => {
      requests += 1
      if (requests % 5 === 0) throw new TypeError('the request was lost')
      const response = await fetch(url, init)
      if (requests % 2 === 0) throw new TypeError('the response was lost')
      return response
    }
    const store = open({ fetch: flaky })
    const ids: string[] = []
    for (let at = 0; at < 3; at += 1) {
      const lines = [{ text: 'first', $key: 'one' }]
      ids.push(await store.create('note', { title: `n${at}`, stock: 0, lines }))
    }
    for (const id of ids) {
      for (let by = 1; by <= 4; by += 1) await store.update('note', id, { stock: { inc: by } })
      await store.sync().catch(() => undefined)
      await store.update('note', id, { stock: { inc: 90 }, mood: { set: 'good' } })
      expect((await shown(store, id)).stock).to.equal(100)
    }
    const [first = '', second = ''] = ids
    await store.remove('note', first)
    expect(await shown(store, first)).to.equal(undefined)
    await patiently(store)
    expect(await store.conflicts()).to.deep.equal([])
    expect(await stored(first)).to.equal(null)
    const entry = await stored(second)
    expect(entry).to.include({ title: 'n1', stock: 100, mood: 'good' })
    expect(entry.lines.map(({ text }: Json) => text)).to.deep.equal(['first'])
    expect(await shown(store, second)).to.include({ title: 'n1', stock: 100 })
  })

  it('merges with changes of others, and keeps a conflict until it is resolved', async () => {
    const store = open()
    const id = await store.create('note', { title: 'a', body: 'one two' })
    await patiently(store)
    await store.update('note', id, { body: { set: 'one two three' } })
    await store.update('note', id, { title: { set: 'mine' } })
    await server.put(`/api/notes/${id}`, { title: 'theirs', body: 'zero one two' })
    await patiently(store)
    const [conflict, ...others] = await store.conflicts()
    expect(others).to.deep.equal([])
    expect(conflict.outcome).to.deep.include({
      outcome: 'conflict',
      code: 'attribute_conflict',
      mine: { title: 'mine' },
      theirs: { title: 'theirs' },
    })
    expect(await shown(store, id)).to.include({ title: 'theirs', body: 'zero one two three' })
    await store.update('note', id, { title: { set: 'both' } })
    await store.resolve(conflict.line.n)
    await patiently(store)
    expect(await store.conflicts()).to.deep.equal([])
    expect(await stored(id)).to.include({ title: 'both', body: 'zero one two three' })
  })

  it('goes on after a mutation that is refused, or that the server does not understand', async () => {
    const store = open()
    const id = await store.create('note', { title: 'a' })
    await store.update('note', id, { title: { set: 'x'.repeat(61) } })
    await store.update('note', id, { title: { nothing: 1 } })
    const other = await store.create('note', { title: 'b' })
    await patiently(store)
    const failed = (await store.conflicts()).map(({ line, outcome }) => [line.n, outcome.outcome])
    expect(failed).to.have.deep.members([
      [2, 'refused'],
      [3, 'refused'],
    ])
    expect((await stored(id)).title).to.equal('a')
    expect((await stored(other)).title).to.equal('b')
  })

  for (const [label, later] of [
    ['the server has the outcomes', 0],
    ['the outcomes are acknowledged', 2],
  ] as const) {
    it(`takes no number twice with an older storage: ${label}`, async () => {
      const storage = client.memoryStorage() as Json
      const store = open({ storage })
      const id = await store.create('note', { title: 'a' })
      await patiently(store)
      const older = await storage.read()
      for (let count = 0; count <= later; count += 1) {
        await store.update('note', id, { mood: { set: `sent ${count}` } })
        await patiently(store)
      }
      await storage.write(older)
      await store.update('note', id, { color: { set: 'red' } })
      await store.update('note', id, { title: { set: 'b' } })
      const other = await store.create('note', { title: 'new' })
      await patiently(store)
      const lost = await store.conflicts()
      expect(lost.map(({ outcome }) => outcome.code)).to.deep.equal(
        Array.from({ length: Math.min(later + 1, 3) }, () => 'unknown_outcome'),
      )
      expect(await stored(id)).to.include({ mood: `sent ${later}`, color: null })
      expect((await stored(id)).title).to.equal(later === 0 ? 'b' : 'a')
      expect((await stored(other))?.title).to.equal(later === 0 ? 'new' : undefined)
      const next = await store.create('note', { title: 'next' })
      await patiently(store)
      expect((await stored(next)).title).to.equal('next')
    })
  }

  it('keeps mutations with an unknown outcome as conflicts after the server lost its log', async () => {
    let isLost = true
    const losing = async (url: string, init: RequestInit): Promise<Response> => {
      const response = await fetch(url, init)
      if (!isLost || !url.includes('_push')) return response
      throw new TypeError('the response was lost')
    }
    const storage = client.memoryStorage() as Json
    const store = open({ fetch: losing, storage })
    isLost = false
    const id = await store.create('note', { title: 'a' })
    await patiently(store)
    isLost = true
    await store.update('note', id, { title: { set: 'b' } })
    await store.push().catch(() => undefined)
    isLost = false
    await store.update('note', id, { mood: { set: 'good' } })
    // As after a restored backup.
    await storage.write({ ...(await storage.read()), log: 'another-log' })
    await patiently(store)
    const codes = (await store.conflicts()).map(({ outcome }) => outcome.code)
    expect(codes).to.deep.equal(['unknown_outcome'])
    expect(await stored(id)).to.include({ title: 'b', mood: 'good' })
  })
})
