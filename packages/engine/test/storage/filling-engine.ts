import { Binary, Long } from 'bson'
import { decodeDocument } from '../../src/bson/decode.ts'
import { toDocument, RawDocument } from '../../src/bson/values.ts'
import type { Document, Value } from '../../src/bson/values.ts'
import { encodeDocument } from '../../src/bson/encode.ts'
import { CommandError } from '../../src/errors.ts'
import { createCursorTable } from '../../src/request/cursors.ts'
import { dispatchMessage } from '../../src/server/dispatch.ts'
import type { Engine } from '../../src/request/engine.ts'
import { openClusterTime } from '../../src/request/cluster-time.ts'
import { openMajority } from '../../src/request/majority.ts'
import { createSessionTable } from '../../src/request/sessions.ts'
import { openData } from '../../src/storage/database.ts'
import { groupCommits } from '../../src/storage/group-commits.ts'
import type { GroupOptions } from '../../src/storage/group-commits.ts'
import type { Store } from '../../src/storage/store.ts'

const DATABASE = 'torn'
export const SESSION = toDocument({ id: new Binary(Buffer.alloc(16, 7), 4) })

/** A store with a disk that is full from the nth change on. */
export interface FillingStore extends Store {
  /** The number of further changes that succeed. */
  room: number
}

export function filling(store: Store): FillingStore {
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

export function openEngineOn(store: Store, waitMs: GroupOptions['waitMs'] = () => 0): Engine {
  const data = openData(store)
  const cursors = createCursorTable()
  return {
    data,
    writes: groupCommits(data, { groupMs: Infinity, waitMs }),
    cursors,
    sessions: createSessionTable(data, cursors, {}),
    majority: openMajority(data, {}),
    clusterTime: openClusterTime(),
    address: '',
    startedAt: new Date(0),
    strictness: {},
    failPoints: null,
    close: () => Promise.resolve(),
  }
}

export type Body = Readonly<Record<string, Value>>

export async function run(engine: Engine, body: Body): Promise<Document> {
  const document = toDocument({ ...body, $db: DATABASE })
  const engines = {
    current: () => engine,
    noteRefusal: () => undefined,
    disconnected: () => undefined,
    news: () => ({ commit: NaN, changes: new Map<number, null>() }),
    holdCommits: () => () => undefined,
    releaseDeadReaders: () => undefined,
    close: () => Promise.resolve(),
  }
  const bodyBytes = Buffer.from(encodeDocument(document))
  const message = { requestId: 1, kind: 'message', body: document, bodyBytes } as const
  const reply = await dispatchMessage(
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
  { find: 'a', filter: toDocument({}) },
  { find: 'a', filter: toDocument({ tags: 't1' }), sort: toDocument({ n: 1 }) },
  { find: 'a', filter: toDocument({ key: toDocument({ $gte: 'k' }) }) },
  { find: 'a', filter: toDocument({ list: toDocument({ $gt: 1 }) }) },
  { count: 'a' },
  { listIndexes: 'a' },
  { find: 'b', filter: toDocument({}) },
  { count: 'b' },
  { find: 'fresh', filter: toDocument({}) },
  { count: 'fresh' },
]

/** All content that the engine returns. Metadata is sorted. */
export async function contentOf(engine: Engine): Promise<readonly string[]> {
  const answers: string[] = []
  for (const read of READS) {
    const reply = await run(engine, read)
    const shown = reply['cursor'] === undefined ? (reply['n'] ?? reply['codeName']) : batchOf(reply)
    answers.push(`${Object.values(read).map(show).join(' ')}: ${show(shown)}`)
  }
  const names = batchOf(await run(engine, { listCollections: 1, nameOnly: true })) as unknown[]
  return [...answers, ...names.map((name) => show(name as Value)).sort()]
}

export function show(value: Value): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part instanceof RawDocument ? decodeDocument(Buffer.from(part.bytes)) : part,
  )
}

export function row(id: number, more: Body = {}): Document {
  return toDocument({ _id: id, key: `k${id}`, n: id % 3, tags: [`t${id % 2}`], list: id, ...more })
}

export function inTransaction(number: number, first = false): Body {
  return {
    lsid: SESSION,
    txnNumber: Long.fromNumber(number),
    autocommit: false,
    ...(first && { startTransaction: true }),
  }
}
