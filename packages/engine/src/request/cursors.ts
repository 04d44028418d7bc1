import { Long } from 'bson'
import { encodeDocument } from '../bson/encode.ts'
import { toDocument, RawDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { spendOn, TurnOver, withDeadline } from '../deadline.ts'
import { CommandError } from '../errors.ts'

const IDLE_MS = 10 * 60_000
const BATCH_BYTES = 16 * 1024 * 1024
const FIRST_BATCH = 101
/** A batch is returned after this time, so that long reads do not delay others. */
const BATCH_MS = 100

export interface Cursor {
  readonly id: Long
  readonly namespace: string
  readonly results: Iterator<RawDocument | Document>
  /** Null for cursors that end. */
  readonly stream: ChangeStream | null
  /** Only the same session and transaction may continue the cursor. */
  readonly session: string | null
  readonly transaction: string | null
  waiting: RawDocument | null
  usedAt: number
  leftMs: number
}

/** The process that holds a cursor: odd ids belong to the reader. */
export type CursorHome = 'engine' | 'reader'

export function findCursorHome(id: Long): CursorHome {
  return id.isOdd() ? 'reader' : 'engine'
}

export interface CursorTable {
  open(results: Iterable<RawDocument | Document>, options: CursorOptions): Document
  openStream(stream: ChangeStream, options: CursorOptions): Document
  get(id: Long, namespace: string): Cursor
  next(cursor: Cursor, batchSize: number | null): Batch
  kill(id: Long): boolean
  killSession(session: string): void
  killTransaction(transaction: string): void
  sweep(): void
  readonly size: number
}

export interface Batch {
  readonly batch: RawDocument[]
  readonly isDone: boolean
  /** Of a change stream. */
  readonly token?: Document
}

export interface StreamBatch extends Batch {
  /** The stream can be resumed after it. */
  readonly token: Document
}

/** The events of an endless cursor. */
export interface ChangeStream {
  /** Waits at most this time for an event. @throws CommandError ChangeStreamHistoryLost */
  fill(maxMs: number): Promise<void>
  take(batchSize: number): StreamBatch
}

export interface CursorOptions {
  readonly namespace: string
  readonly batchSize: number | null
  readonly singleBatch?: boolean
  readonly session: string | null
  readonly transaction: string | null
  /** The deadline of the command, including later batches. */
  readonly endsAt?: number
  /** True if the reader process should read the rest after the first batch. */
  readonly moves?: boolean
}

/** MongoDB's document limit, plus 16 KiB that its own commands may add. */
const MAX_RESULT_BYTES = BATCH_BYTES + 16 * 1024

/** @throws CommandError BSONObjectTooLarge */
function toRaw(result: RawDocument | Document): RawDocument {
  if (result instanceof RawDocument) return result
  const bytes = encodeDocument(result)
  if (bytes.length <= MAX_RESULT_BYTES) return new RawDocument(bytes)
  throw new CommandError(
    'BSONObjectTooLarge',
    `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${MAX_RESULT_BYTES}(16MB)`,
  )
}

function take(cursor: Cursor, most: number, batchEndsAt = Infinity): Batch {
  const batch: RawDocument[] = []
  let bytes = 0
  while (batch.length < most) {
    const next = cursor.waiting ?? readNext(cursor)
    if (!next) return { batch, isDone: true }
    if (batch.length > 0 && (bytes + next.bytes.length > BATCH_BYTES || isOver(batchEndsAt))) {
      cursor.waiting = next
      return { batch, isDone: false }
    }
    cursor.waiting = null
    bytes += next.bytes.length
    spendOn(next.bytes.length)
    batch.push(next)
  }
  cursor.waiting = most === 0 ? null : readNext(cursor)
  return { batch, isDone: most > 0 && cursor.waiting === null }
}

function isOver(endsAt: number): boolean {
  return endsAt !== Infinity && performance.now() > endsAt
}

function readNext(cursor: Cursor): RawDocument | null {
  const { value, done } = cursor.results.next() as IteratorResult<RawDocument | Document, undefined>
  return done ? null : toRaw(value)
}

export function makeCursorReply(
  id: Value,
  namespace: string,
  name: 'firstBatch' | 'nextBatch',
  { batch, token }: Pick<Batch, 'batch' | 'token'>,
): Document {
  const resume = token && { postBatchResumeToken: token }
  return toDocument({ cursor: toDocument({ [name]: batch, ...resume, id, ns: namespace }), ok: 1 })
}

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

function createCursor(
  state: State,
  results: Iterable<RawDocument | Document>,
  { namespace, session, transaction }: CursorOptions,
  stream: ChangeStream | null = null,
): Cursor {
  return {
    id: Long.fromBigInt((state.lastId += 2n)),
    namespace,
    results: results[Symbol.iterator](),
    stream,
    session,
    transaction,
    waiting: null,
    usedAt: performance.now(),
    leftMs: Infinity,
  }
}

function openStream(state: State, stream: ChangeStream, options: CursorOptions): Document {
  const cursor = createCursor(state, [], options, stream)
  const taken = stream.take(options.batchSize ?? FIRST_BATCH)
  if (!taken.isDone) state.cursors.set(cursor.id.toString(), cursor)
  return makeCursorReply(
    taken.isDone ? Long.ZERO : cursor.id,
    options.namespace,
    'firstBatch',
    taken,
  )
}

function openCursor(
  state: State,
  results: Iterable<RawDocument | Document>,
  options: CursorOptions,
): Document {
  const { namespace, batchSize, singleBatch = false } = options
  const cursor = createCursor(state, results, options)
  const { id } = cursor
  const { batch, isDone } = take(cursor, batchSize ?? FIRST_BATCH)
  cursor.leftMs = (options.endsAt ?? Infinity) - performance.now()
  const isLast = isDone || singleBatch
  if (!isLast && options.moves === true) throw new TurnOver()
  if (isLast) cursor.results.return?.()
  else state.cursors.set(id.toString(), cursor)
  return makeCursorReply(isLast ? Long.ZERO : id, namespace, 'firstBatch', { batch })
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

function nextBatch(state: State, cursor: Cursor, batchSize: number | null): Batch {
  const start = (cursor.usedAt = performance.now())
  try {
    const taken =
      cursor.stream?.take(batchSize ?? Infinity) ??
      withDeadline({ at: start + cursor.leftMs }, () =>
        take(cursor, batchSize ?? Infinity, start + BATCH_MS),
      )
    if (taken.isDone) close(state, cursor)
    return taken
  } catch (error) {
    close(state, cursor)
    throw error
  } finally {
    cursor.leftMs -= performance.now() - start
  }
}

export function createCursorTable(home: CursorHome = 'engine'): CursorTable {
  const first = BigInt(Date.now()) << 16n
  const state: State = { cursors: new Map(), lastId: home === 'reader' ? first + 1n : first }
  return {
    open: (results, options) => openCursor(state, results, options),
    openStream: (stream, options) => openStream(state, stream, options),
    get: (id, namespace) => getCursor(state, id, namespace),
    next: (cursor, batchSize) => nextBatch(state, cursor, batchSize),
    get size() {
      return state.cursors.size
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
