import { rmSync } from 'node:fs'
import { Binary, Long } from 'bson'
import { expect } from 'chai'
import { decodeDocument } from '../../src/bson/decode.ts'
import { documentOf, RawDocument } from '../../src/bson/values.ts'
import type { Document, Value } from '../../src/bson/values.ts'
import { encodeDocument } from '../../src/bson/encode.ts'
import { CommandError } from '../../src/errors.ts'
import { cursorTable } from '../../src/request/cursors.ts'
import { dispatch } from '../../src/server/dispatch.ts'
import type { Engine } from '../../src/request/engine.ts'
import { sessionTable } from '../../src/request/sessions.ts'
import { openData } from '../../src/storage/database.ts'
import { openStore } from '../../src/storage/store.ts'
import type { Store } from '../../src/storage/store.ts'
import { temporaryFolder } from '../contract/targets.ts'

const DATABASE = 'torn'
const SESSION = documentOf({ id: new Binary(Buffer.alloc(16, 7), 4) })

/** A store whose disk is full from its nth change on. */
interface FillingStore extends Store {
  /** How many changes it takes from now on. */
  room: number
}

function filling(store: Store): FillingStore {
  const take = (): void => {
    if (filled.room-- <= 0) throw new CommandError('OutOfDiskSpace', 'the disk is full')
  }
  const filled: FillingStore = {
    ...store,
    room: Infinity,
    put: (...change) => {
      take()
      store.put(...change)
    },
    remove: (...change) => {
      take()
      store.remove(...change)
    },
    removeAll: (...change) => {
      take()
      store.removeAll(...change)
    },
  }
  return filled
}

function openEngineOn(store: Store): Engine {
  const data = openData(store)
  const cursors = cursorTable()
  return {
    data,
    cursors,
    sessions: sessionTable(data, cursors, {}),
    address: '',
    startedAt: new Date(0),
    strictness: {},
    close: () => Promise.resolve(),
  }
}

type Body = Readonly<Record<string, Value>>

async function run(engine: Engine, body: Body): Promise<Document> {
  const document = documentOf({ ...body, $db: DATABASE })
  const engines = {
    current: () => engine,
    noteRefusal: () => undefined,
    disconnected: () => undefined,
    releaseDeadReaders: () => undefined,
    close: () => Promise.resolve(),
  }
  const bodyBytes = Buffer.from(encodeDocument(document))
  const message = { requestId: 1, kind: 'message', body: document, bodyBytes } as const
  const reply = await dispatch(
    engines,
    { ...message, sequences: new Map(), wantsReply: true },
    {},
    (what, error) => {
      throw new Error(what, { cause: error })
    },
  )
  return reply instanceof RawDocument ? decodeDocument(reply.bytes) : reply
}

function batchOf(reply: Document): Value {
  return (reply['cursor'] as Document)['firstBatch']
}

const READS: readonly Body[] = [
  { find: 'a', filter: documentOf({}) },
  { find: 'a', filter: documentOf({ tags: 't1' }), sort: documentOf({ n: 1 }) },
  { find: 'a', filter: documentOf({ key: documentOf({ $gte: 'k' }) }) },
  { find: 'a', filter: documentOf({ list: documentOf({ $gt: 1 }) }) },
  { count: 'a' },
  { listIndexes: 'a' },
  { find: 'b', filter: documentOf({}) },
  { count: 'b' },
  { find: 'fresh', filter: documentOf({}) },
  { count: 'fresh' },
]

/** All that the engine answers of its content; what it says of itself is asked for in one order. */
async function contentOf(engine: Engine): Promise<readonly string[]> {
  const answers: string[] = []
  for (const read of READS) {
    const reply = await run(engine, read)
    const shown = reply['cursor'] === undefined ? (reply['n'] ?? reply['codeName']) : batchOf(reply)
    answers.push(`${Object.values(read).map(show).join(' ')}: ${show(shown)}`)
  }
  const names = batchOf(await run(engine, { listCollections: 1, nameOnly: true })) as unknown[]
  return [...answers, ...names.map((name) => show(name as Value)).sort()]
}

function show(value: Value): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part instanceof RawDocument ? decodeDocument(Buffer.from(part.bytes)) : part,
  )
}

function row(id: number, more: Body = {}): Document {
  return documentOf({ _id: id, key: `k${id}`, n: id % 3, tags: [`t${id % 2}`], list: id, ...more })
}

function inTransaction(number: number, first = false): Body {
  return {
    lsid: SESSION,
    txnNumber: Long.fromNumber(number),
    autocommit: false,
    ...(first && { startTransaction: true }),
  }
}

function update(q: Body, u: Body, multi = true): Body {
  return {
    updates: [documentOf({ q: documentOf(q), u: documentOf(u), multi })],
  }
}

const WRITES: Readonly<Record<string, readonly Body[]>> = {
  'an insert of several': [{ insert: 'a', documents: [row(20), row(21), row(22)] }],
  'an insert into a collection that is not there yet': [{ insert: 'fresh', documents: [row(1)] }],
  'an update of all': [
    {
      update: 'a',
      ...update({}, { $inc: documentOf({ n: 10 }), $set: documentOf({ more: 'x' }) }),
    },
  ],
  'an update that makes an index one over arrays': [
    { update: 'a', ...update({ _id: 3 }, { $set: documentOf({ list: [5, 6] }) }) },
  ],
  'a removal': [{ delete: 'a', deletes: [documentOf({ q: documentOf({ n: 1 }), limit: 0 })] }],
  'a retryable insert': [
    { insert: 'a', documents: [row(30)], lsid: SESSION, txnNumber: Long.fromNumber(1) },
  ],
  'a transaction over two collections': [
    { insert: 'a', documents: [row(40), row(41)], ...inTransaction(2, true) },
    { update: 'a', ...update({ n: 0 }, { $set: documentOf({ more: 1 }) }), ...inTransaction(2) },
    { update: 'b', ...update({}, { $set: documentOf({ n: 99 }) }), ...inTransaction(2) },
    { insert: 'fresh', documents: [row(1)], ...inTransaction(2) },
    { commitTransaction: 1, ...inTransaction(2) },
  ],
  'an index': [
    { createIndexes: 'a', indexes: [documentOf({ key: documentOf({ more: 1 }), name: 'more' })] },
  ],
  'an index less': [{ dropIndexes: 'a', index: 'key' }],
  'a collection': [{ create: 'fresh' }],
  'a collection less': [{ drop: 'b' }],
}

async function prepare(engine: Engine): Promise<void> {
  const rows = Array.from({ length: 5 }, (_, id) => row(id))
  await run(engine, { insert: 'a', documents: rows })
  await run(engine, { insert: 'b', documents: rows.slice(0, 3) })
  const indexes = ['key', 'tags', 'list'].map((path) =>
    documentOf({ key: documentOf({ [path]: 1 }), name: path, unique: path === 'key' }),
  )
  await run(engine, { createIndexes: 'a', indexes })
}

async function answerOf(engine: Engine, steps: readonly Body[]): Promise<Document> {
  let reply = documentOf({ ok: 1 })
  for (const step of steps) {
    reply = await run(engine, step)
    if (reply['ok'] !== 1) break
  }
  return reply
}

describe('a write that the disk takes only in part', () => {
  for (const [what, steps] of Object.entries(WRITES)) {
    it(`leaves nothing in memory or in the file: ${what}`, async () => {
      const directory = temporaryFolder()
      const store = filling(openStore({ directory, durable: false }))
      try {
        const engine = openEngineOn(store)
        await prepare(engine)
        const before = await contentOf(engine)
        let room = 0
        for (; ; room++) {
          store.room = room
          const reply = await answerOf(engine, steps)
          store.room = Infinity
          if (reply['ok'] === 1) break
          expect(reply['codeName'], show(reply)).to.equal('OutOfDiskSpace')
          expect(await contentOf(engine), `after ${room} changes`).to.deep.equal(before)
          if (room % 5 === 0)
            expect(await contentOf(openEngineOn(store)), 'a new start').to.deep.equal(before)
        }
        expect(room).to.be.greaterThan(0)
        const after = await contentOf(engine)
        expect(after).not.to.deep.equal(before)
        expect(await contentOf(openEngineOn(store)), 'a new start').to.deep.equal(after)
      } finally {
        await store.close()
        rmSync(directory, { recursive: true, force: true })
      }
    })
  }
})
