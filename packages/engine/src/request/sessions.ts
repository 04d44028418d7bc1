import type { Long } from 'bson'
import { Binary } from 'bson'
import { decodeDocument } from '../bson/decode.ts'
import { encodeDocument } from '../bson/encode.ts'
import { toDocument, isDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'
import { CommandError, noSnapshot, noSuchTransaction } from '../errors.ts'
import type { Collection } from '../storage/collection.ts'
import type { Data, LockHolder } from '../storage/database.ts'
import { applyUnit, createTransactionUnit } from '../storage/write-unit.ts'
import type { WriteUnit } from '../storage/write-unit.ts'
import type { CursorTable } from './cursors.ts'
import type { Strictness } from './strictness.ts'

export type Connection = object

/** Idle time before a transaction is aborted. */
const TRANSACTION_IDLE_MS = 60_000
const LOST_AFTER_SECONDS = 1
/** How long the last reply of a session is kept for a retry. */
const ANSWER_KEPT_MS = 30 * 60_000

export interface Transaction extends LockHolder {
  readonly session: string
  readonly number: Long
  readonly unit: WriteUnit
  usedAt: number
  readonly connections: Set<Connection>
  readonly end: () => void
}

export interface LastAnswer {
  readonly number: Long
  readonly reply: Document
}

export interface SessionTable {
  begin(session: string, number: Long): Transaction
  get(session: string, number: Long): Transaction
  /** A transaction whose connections are all closed is aborted soon. */
  disconnected(connection: Connection): void
  /** Must run inside a write. Repeating a commit succeeds. */
  commit(session: string, number: Long): void
  release(session: string, number: Long): void
  abort(session: string, number: Long): void
  end(session: string): void
  lastAnswer(session: string): LastAnswer | null
  /** Must run inside the write that it belongs to. */
  keepAnswer(session: string, answer: LastAnswer): void
  abortAll(): void
  sweep(): void
}

export function readSessionKey(body: Document): string | null {
  const lsid = body['lsid']
  if (!isDocument(lsid) || !(lsid['id'] instanceof Binary)) return null
  return Buffer.from(lsid['id'].buffer.subarray(0, lsid['id'].position)).toString('hex')
}

const COMMITTED = 'committed'

function openTransaction(data: Data, session: string, number: Long): Transaction {
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  const holder = { read: new Set<Collection>(), written: new Set<Collection>(), ended }
  data.holders.add(holder)
  const snapshot = data.store.snapshot()
  const transaction: Transaction = {
    ...holder,
    session,
    number,
    usedAt: performance.now(),
    connections: new Set(),
    end,
    unit: createTransactionUnit(snapshot, data.commits, holder),
  }
  return transaction
}

interface State {
  readonly data: Data
  readonly cursors: CursorTable
  readonly open: Map<string, Transaction>
  readonly lostAfterMs: number
}

function release({ data, cursors, open }: State, transaction: Transaction): void {
  open.delete(transaction.session)
  cursors.killTransaction(getTransactionKey(transaction))
  transaction.unit.snapshot?.done()
  if (transaction.unit.holder) data.holders.delete(transaction.unit.holder)
  for (const [key, holder] of data.locks)
    if (holder === transaction.unit.holder) data.locks.delete(key)
  transaction.end()
}

function answerKey(session: string): Buffer {
  return Buffer.from(session, 'hex')
}

function lastAnswer({ data }: State, session: string): LastAnswer | null {
  const bytes = data.store.sessions.get(answerKey(session))
  if (!bytes) return null
  const { number, reply } = decodeDocument(bytes)
  return { number: number as Long, reply: reply as Document }
}

function keepAnswer({ data }: State, session: string, { number, reply }: LastAnswer): void {
  data.store.put(
    data.store.sessions,
    answerKey(session),
    encodeDocument(toDocument({ number, reply, at: new Date() })),
  )
}

function find({ open }: State, session: string, number: Long): Transaction | null {
  const transaction = open.get(session)
  return transaction?.number.equals(number) ? transaction : null
}

function wasCommitted(state: State, session: string, number: Long): boolean {
  const last = lastAnswer(state, session)
  return last?.number.equals(number) === true && last.reply[COMMITTED] === true
}

function unknown(number: Long): CommandError {
  return noSuchTransaction(
    `Given transaction number ${number.toString()} does not match any in-progress transactions.`,
  )
}

function committed(number: Long): CommandError {
  return new CommandError(
    'TransactionCommitted',
    `Transaction with { txnNumber: ${number.toString()} } has been committed.`,
  )
}

/** Each may hold one of LMDB's reader slots. If all were used, every read and write would fail. */
const MAX_OPEN_TRANSACTIONS = 1000

function begin(state: State, session: string, number: Long): Transaction {
  const earlier = state.open.get(session)
  if (earlier?.number.greaterThanOrEqual(number)) {
    throw new CommandError(
      'ConflictingOperationInProgress',
      `Only servers in a sharded cluster can start a new transaction at the active transaction number ${number.toString()}`,
    )
  }
  if (earlier) release(state, earlier)
  if (state.open.size >= MAX_OPEN_TRANSACTIONS)
    throw noSnapshot(`${MAX_OPEN_TRANSACTIONS} transactions are open, and no more can be`)
  const transaction = openTransaction(state.data, session, number)
  state.open.set(session, transaction)
  return transaction
}

function get(state: State, session: string, number: Long): Transaction {
  const transaction = find(state, session, number)
  if (!transaction) throw wasCommitted(state, session, number) ? committed(number) : unknown(number)
  transaction.usedAt = performance.now()
  return transaction
}

function commit(state: State, session: string, number: Long): void {
  // Comes first, because a retry may be part of the same write.
  if (wasCommitted(state, session, number)) return
  const transaction = find(state, session, number)
  if (!transaction) throw unknown(number)
  applyUnit(state.data, transaction.unit, { session, number })
  keepAnswer(state, session, { number, reply: toDocument({ [COMMITTED]: true }) })
}

function abort(state: State, session: string, number: Long): void {
  const transaction = find(state, session, number)
  if (!transaction) throw wasCommitted(state, session, number) ? committed(number) : unknown(number)
  release(state, transaction)
}

function sweep(state: State): void {
  const idleSince = performance.now() - Math.max(TRANSACTION_IDLE_MS, state.lostAfterMs) // a monotonic clock: with the wall clock, locks could be held too long
  for (const transaction of state.open.values()) {
    if (transaction.usedAt < idleSince) release(state, transaction)
  }
  sweepAnswers(state.data, Date.now() - ANSWER_KEPT_MS)
}

function disconnected(state: State, connection: Connection): void {
  for (const transaction of state.open.values()) {
    if (!transaction.connections.delete(connection) || transaction.connections.size > 0) continue
    setTimeout(() => {
      const isOpen = state.open.get(transaction.session) === transaction
      if (isOpen && transaction.connections.size === 0) release(state, transaction)
    }, state.lostAfterMs).unref()
  }
}

export function createSessionTable(
  data: Data,
  cursors: CursorTable,
  { lostTransactionSeconds = LOST_AFTER_SECONDS }: Strictness,
): SessionTable {
  const state: State = {
    data,
    cursors,
    open: new Map(),
    lostAfterMs: lostTransactionSeconds * 1000,
  }
  return {
    begin: (session, number) => begin(state, session, number),
    get: (session, number) => get(state, session, number),
    disconnected: (connection) => disconnected(state, connection),
    commit: (session, number) => commit(state, session, number),
    release: (session, number) => {
      const transaction = find(state, session, number)
      if (transaction) release(state, transaction)
    },
    abort: (session, number) => abort(state, session, number),
    end(session) {
      const transaction = state.open.get(session)
      if (transaction) release(state, transaction)
      cursors.killSession(session)
    },
    lastAnswer: (session) => lastAnswer(state, session),
    keepAnswer: (session, answer) => keepAnswer(state, session, answer),
    abortAll: () => [...state.open.values()].forEach((transaction) => release(state, transaction)),
    sweep: () => sweep(state),
  }
}

export function getTransactionKey({ session, number }: Transaction): string {
  return `${session}/${number.toString()}`
}

function sweepAnswers(data: Data, before: number): void {
  const old: Buffer[] = []
  for (const { key, value } of data.store.sessions.getRange({})) {
    const { at } = decodeDocument(value)
    if (at instanceof Date && at.getTime() < before) old.push(key)
  }
  if (old.length === 0) return
  data.store.write(() => {
    data.store.removeAll(data.store.sessions, old)
  })
}
