import { rmSync } from 'node:fs'
import { Long } from 'bson'
import { expect } from 'chai'
import { toDocument } from '../../src/bson/values.ts'
import type { Document } from '../../src/bson/values.ts'
import { diskFault } from '../../src/errors.ts'
import type { Engine } from '../../src/request/engine.ts'
import { computeGroupWait } from '../../src/storage/group-commits.ts'
import { openStore } from '../../src/storage/store.ts'
import { temporaryFolder } from '../contract/targets.ts'
import type { Body, FillingStore } from './filling-engine.ts'
import { contentOf, filling, inTransaction, openEngineOn, row, run } from './filling-engine.ts'
import { SESSION } from './filling-engine.ts'

const INDEX = toDocument({ key: toDocument({ key: 1 }), name: 'key', unique: true })

function insert(...ids: readonly number[]): Body {
  return { insert: 'a', documents: ids.map((id) => row(id)) }
}

function add(query: Body, n: number): Body {
  const update = toDocument({ $inc: toDocument({ n }) })
  return {
    update: 'a',
    updates: [toDocument({ q: toDocument(query), u: update, multi: true })],
  }
}

/** Refused as a command, not as a write error. */
const TAKEN: Body = {
  findAndModify: 'a',
  query: toDocument({ _id: 0 }),
  update: toDocument({ $set: toDocument({ key: 'k1' }) }),
}

const MANY: readonly Body[] = [
  insert(10),
  add({}, 1),
  TAKEN,
  insert(11, 12, 13),
  { delete: 'a', deletes: [toDocument({ q: toDocument({ _id: 2 }), limit: 1 })] },
  { ...insert(14), lsid: SESSION, txnNumber: Long.fromNumber(1) },
  add({ _id: 11 }, 100),
  { insert: 'fresh', documents: [row(1)] },
]

describe('concurrent writes', () => {
  let directory: string
  let store: FillingStore
  let engine: Engine

  beforeEach(async () => {
    directory = temporaryFolder()
    store = filling(openStore({ directory, durable: false }))
    engine = openEngineOn(store)
    await prepare(engine)
  })
  afterEach(async () => {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  })

  async function prepare(one: Engine): Promise<void> {
    await run(one, { createIndexes: 'a', indexes: [INDEX] })
    await run(one, insert(0, 1, 2, 3))
  }

  const runAll = (bodies: readonly Body[]): Promise<Document[]> =>
    Promise.all(bodies.map((body) => run(engine, body)))

  async function expectContent(done: readonly Body[]): Promise<void> {
    const other = temporaryFolder()
    const apart = filling(openStore({ directory: other, durable: false }))
    try {
      const model = openEngineOn(apart)
      await prepare(model)
      for (const body of done) await run(model, body)
      const expected = await contentOf(model)
      expect(await contentOf(engine)).to.deep.equal(expected)
      expect(await contentOf(openEngineOn(store)), 'a new start').to.deep.equal(expected)
    } finally {
      await apart.close()
      rmSync(other, { recursive: true, force: true })
    }
  }

  it('share one commit and get individual replies', async () => {
    const before = store.lastCommit()
    const replies = await runAll(MANY)
    expect(store.lastCommit() - before).to.equal(1)
    expect(replies.map(({ ok, n, codeName }) => codeName ?? n ?? ok)).to.deep.equal([
      1,
      5,
      'DuplicateKey',
      3,
      1,
      1,
      1,
      1,
    ])
    await expectContent(MANY)
  })

  it('wait for as many writes as the last commit had, for a limited time', async () => {
    const forever = 2 ** 30
    let waitMs = forever
    engine = openEngineOn(store, () => waitMs)
    await runAll([insert(10), insert(11), insert(12)])
    const before = store.lastCommit()
    const first = runAll([insert(13), insert(14)])
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(store.lastCommit(), 'they wait').to.equal(before)
    await Promise.all([first, run(engine, insert(15))])
    expect(store.lastCommit() - before).to.equal(1)
    waitMs = 1
    await runAll([insert(16), insert(17)])
    expect(store.lastCommit() - before).to.equal(2)
    waitMs = forever
    // The last group had two writes.
    await runAll([insert(18), insert(19)])
    expect([1, 3, 8, 1000].map(computeGroupWait)).to.deep.equal([0, 0, 2, 3])
  })

  it('are undone together and run one by one if the disk accepts one only in part', async () => {
    for (let room = 0; ; room += 3) {
      store.room = room
      const replies = await runAll(MANY)
      store.room = Infinity
      const done = MANY.filter((_, i) => replies[i]?.['ok'] === 1)
      for (const { ok, codeName } of replies)
        expect(ok === 1 ? 'DuplicateKey' : codeName).to.be.oneOf(['DuplicateKey', 'OutOfDiskSpace'])
      await expectContent(done)
      if (done.length === MANY.length - 1) break
      await run(engine, { drop: 'a' })
      await run(engine, { drop: 'fresh' })
      await store.close()
      rmSync(directory, { recursive: true, force: true })
      store = filling(openStore({ directory, durable: false }))
      engine = openEngineOn(store)
      await prepare(engine)
    }
  })

  for (const [when, isBegun] of [
    ['cannot begin', false],
    ['cannot be committed', true],
  ] as const) {
    it(`are all refused if their transaction ${when}`, async () => {
      const { write } = store
      const torn = openEngineOn({
        ...store,
        write: (change) =>
          write(() => {
            if (isBegun) change()
            throw diskFault('EIO')
          }),
      })
      const replies = await Promise.all(MANY.map((body) => run(torn, body)))
      expect(replies.map(({ codeName }) => codeName)).to.deep.equal(
        MANY.map(() => 'FileStreamFailed'),
      )
      await expectContent([])
    })
  }

  it('run a retried write or commit once', async () => {
    const numbered = { ...insert(20), lsid: SESSION, txnNumber: Long.fromNumber(1) }
    expect((await runAll([numbered, numbered])).map(({ n }) => n)).to.deep.equal([1, 1])
    await run(engine, { ...insert(21), ...inTransaction(2, true) })
    const commit = { commitTransaction: 1, ...inTransaction(2) }
    expect((await runAll([commit, commit])).map(({ ok }) => ok)).to.deep.equal([1, 1])
    await expectContent([insert(20), insert(21)])
  })

  it('wait for a transaction individually, while other writes and its commit proceed', async () => {
    await run(engine, { ...add({ _id: 0 }, 5), ...inTransaction(1, true) })
    const waiting = run(engine, add({ _id: 0 }, 7))
    const replies = await runAll([
      insert(30),
      { commitTransaction: 1, ...inTransaction(1) },
      add({ _id: 1 }, 1),
    ])
    expect(replies.map(({ ok }) => ok)).to.deep.equal([1, 1, 1])
    expect((await waiting)['n']).to.equal(1)
    await expectContent([insert(30), add({ _id: 0 }, 12), add({ _id: 1 }, 1)])
  })

  it('are refused when the engine closes before their turn', async () => {
    const replies = runAll([insert(40), insert(41)])
    engine.writes.close()
    for (const { codeName } of await replies) expect(codeName).to.equal('InterruptedAtShutdown')
    await expectContent([])
  })
})
