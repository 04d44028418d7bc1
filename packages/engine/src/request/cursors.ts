import { Long } from 'bson'
import { encodeDocument } from '../bson/encode.ts'
import { documentOf, RawDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'

const IDLE_MS = 10 * 60_000
const BATCH_BYTES = 16 * 1024 * 1024
const FIRST_BATCH = 101

export interface Cursor {
  readonly id: Long
  readonly namespace: string
  readonly results: Iterator<RawDocument | Document>
  /** The session that may go on reading, and the transaction it was opened in. */
  readonly session: string | null
  readonly transaction: string | null
  /** Read ahead, but too large for the last batch. */
  waiting: RawDocument | null
  usedAt: number
}

export interface CursorTable {
  open(results: Iterable<RawDocument | Document>, options: CursorOptions): Document
  get(id: Long, namespace: string): Cursor
  /** The next documents; the cursor is gone when they are the last. */
  next(cursor: Cursor, batchSize: number | null): { batch: RawDocument[]; isDone: boolean }
  kill(id: Long): boolean
  killSession(session: string): void
  killTransaction(transaction: string): void
  sweep(): void
}

export interface CursorOptions {
  readonly namespace: string
  readonly batchSize: number | null
  readonly singleBatch?: boolean
  readonly session: string | null
  readonly transaction: string | null
}

/** MongoDB's limit of documents, and 16 KiB for what its own commands add. */
const LARGEST_RESULT = BATCH_BYTES + 16 * 1024

/** @throws CommandError BSONObjectTooLarge */
function toRaw(result: RawDocument | Document): RawDocument {
  if (result instanceof RawDocument) return result
  const bytes = encodeDocument(result)
  if (bytes.length <= LARGEST_RESULT) return new RawDocument(bytes)
  throw new CommandError(
    'BSONObjectTooLarge',
    `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${LARGEST_RESULT}(16MB)`,
  )
}

function take(cursor: Cursor, most: number): { batch: RawDocument[]; isDone: boolean } {
  const batch: RawDocument[] = []
  let bytes = 0
  while (batch.length < most) {
    const next = cursor.waiting ?? readNext(cursor)
    if (!next) return { batch, isDone: true }
    if (batch.length > 0 && bytes + next.bytes.length > BATCH_BYTES) {
      cursor.waiting = next
      return { batch, isDone: false }
    }
    cursor.waiting = null
    bytes += next.bytes.length
    batch.push(next)
  }
  cursor.waiting = most === 0 ? null : readNext(cursor)
  return { batch, isDone: most > 0 && cursor.waiting === null }
}

function readNext(cursor: Cursor): RawDocument | null {
  const { value, done } = cursor.results.next() as IteratorResult<RawDocument | Document, undefined>
  return done ? null : toRaw(value)
}

/** The cursor member of an answer. */
export const cursorReply = (
  id: Value,
  namespace: string,
  name: 'firstBatch' | 'nextBatch',
  batch: RawDocument[],
): Document => documentOf({ cursor: documentOf({ [name]: batch, id, ns: namespace }), ok: 1 })

interface State {
  readonly cursors: Map<string, Cursor>
  lastId: bigint
}

function close({ cursors }: State, cursor: Cursor): void {
  cursors.delete(cursor.id.toString())
  cursor.results.return?.()
}

function killWhere(state: State, test: (cursor: Cursor) => boolean): void {
  for (const cursor of state.cursors.values()) if (test(cursor)) close(state, cursor)
}

function openCursor(
  state: State,
  results: Iterable<RawDocument | Document>,
  options: CursorOptions,
): Document {
  const { namespace, batchSize, singleBatch = false, session, transaction } = options
  const id = Long.fromBigInt(++state.lastId)
  const cursor: Cursor = {
    id,
    namespace,
    results: results[Symbol.iterator](),
    session,
    transaction,
    waiting: null,
    usedAt: performance.now(),
  }
  const { batch, isDone } = take(cursor, batchSize ?? FIRST_BATCH)
  if (isDone || singleBatch) cursor.results.return?.()
  else state.cursors.set(id.toString(), cursor)
  return cursorReply(isDone || singleBatch ? Long.ZERO : id, namespace, 'firstBatch', batch)
}

function getCursor({ cursors }: State, id: Long, namespace: string): Cursor {
  const cursor = cursors.get(id.toString())
  if (!cursor) throw new CommandError('CursorNotFound', `cursor id ${id.toString()} not found`)
  if (cursor.namespace === namespace) return cursor
  throw new CommandError(
    'Unauthorized',
    `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
  )
}

export function cursorTable(): CursorTable {
  const state: State = { cursors: new Map(), lastId: BigInt(Date.now()) << 16n }
  return {
    open: (results, options) => openCursor(state, results, options),
    get: (id, namespace) => getCursor(state, id, namespace),
    next(cursor, batchSize) {
      cursor.usedAt = performance.now()
      const taken = take(cursor, batchSize ?? Infinity)
      if (taken.isDone) close(state, cursor)
      return taken
    },
    kill(id) {
      const cursor = state.cursors.get(id.toString())
      if (cursor) close(state, cursor)
      return cursor !== undefined
    },
    killSession: (session) => killWhere(state, (cursor) => cursor.session === session),
    killTransaction: (transaction) =>
      killWhere(state, (cursor) => cursor.transaction === transaction),
    sweep: () => killWhere(state, (cursor) => cursor.usedAt < performance.now() - IDLE_MS),
  }
}
