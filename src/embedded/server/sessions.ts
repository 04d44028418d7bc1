import { Binary, Long } from 'bson'
import { decodeDocument } from '../bson/decode.ts'
import { encodeDocument } from '../bson/encode.ts'
import { documentOf, isDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'
import { CommandError, noSuchTransaction } from '../errors.ts'
import type { Collection } from '../storage/collection.ts'
import type { Data, LockHolder } from '../storage/database.ts'
import { applyUnit, transactionUnit } from '../storage/write-unit.ts'
import type { WriteUnit } from '../storage/write-unit.ts'
import type { CursorTable } from './cursors.ts'

/** How long a transaction may wait for its next command, and a session's last answer for a retry. */
const TRANSACTION_IDLE_MS = 60_000
const ANSWER_KEPT_MS = 30 * 60_000

export interface Transaction extends LockHolder {
  readonly session: string
  readonly number: Long
  readonly unit: WriteUnit
  usedAt: number
  readonly end: () => void
}

/** How the last numbered command of a session ended. */
export interface LastAnswer {
  readonly number: Long
  readonly reply: Document
}

export interface SessionTable {
  begin(session: string, number: Long): Transaction
  get(session: string, number: Long): Transaction
  /** Also says yes to a commit that was answered before. */
  commit(session: string, number: Long): void
  abort(session: string, number: Long): void
  end(session: string): void
  lastAnswer(session: string): LastAnswer | null
  /** Inside the write whose answer it is. */
  keepAnswer(session: string, answer: LastAnswer): void
  abortAll(): void
  sweep(): void
}

/** The key of a command's session; null when it names none. */
export function sessionKey(body: Document): string | null {
  const lsid = body['lsid']
  if (!isDocument(lsid) || !(lsid['id'] instanceof Binary)) return null
  return Buffer.from(lsid['id'].buffer.subarray(0, lsid['id'].position)).toString('hex')
}

const COMMITTED = 'committed'

function openTransaction(data: Data, session: string, number: Long): Transaction {
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  const holder = { collections: new Set<Collection>(), ended }
  const snapshot = data.store.snapshot()
  const transaction: Transaction = {
    ...holder,
    session,
    number,
    usedAt: Date.now(),
    end,
    unit: transactionUnit(snapshot, data.commits, holder),
  }
  return transaction
}

export function sessionTable(data: Data, cursors: CursorTable): SessionTable {
  const open = new Map<string, Transaction>()

  const release = (transaction: Transaction): void => {
    open.delete(transaction.session)
    cursors.killTransaction(transactionKey(transaction))
    transaction.unit.snapshot?.done()
    for (const [key, holder] of data.locks)
      if (holder === transaction.unit.holder) data.locks.delete(key)
    transaction.end()
  }

  const lastAnswer = (session: string): LastAnswer | null => {
    const bytes = data.store.sessions.get(Buffer.from(session, 'hex'))
    if (!bytes) return null
    const { number, reply } = decodeDocument(bytes)
    return { number: number as Long, reply: reply as Document }
  }

  const keepAnswer = (session: string, { number, reply }: LastAnswer): void => {
    data.store.sessions.putSync(
      Buffer.from(session, 'hex'),
      encodeDocument(documentOf({ number, reply, at: new Date() })),
    )
  }

  const find = (session: string, number: Long): Transaction | null => {
    const transaction = open.get(session)
    return transaction?.number.equals(number) ? transaction : null
  }

  const wasCommitted = (session: string, number: Long): boolean => {
    const last = lastAnswer(session)
    return last?.number.equals(number) === true && last.reply[COMMITTED] === true
  }

  return {
    begin(session, number) {
      const earlier = open.get(session)
      if (earlier && earlier.number.greaterThanOrEqual(number)) {
        throw new CommandError(
          'ConflictingOperationInProgress',
          `Only servers in a sharded cluster can start a new transaction at the active transaction number ${number.toString()}`,
        )
      }
      if (earlier) release(earlier)
      const transaction = openTransaction(data, session, number)
      open.set(session, transaction)
      return transaction
    },
    get(session, number) {
      const transaction = find(session, number)
      if (transaction) {
        transaction.usedAt = Date.now()
        return transaction
      }
      if (wasCommitted(session, number))
        throw new CommandError(
          'TransactionCommitted',
          `Transaction with { txnNumber: ${number.toString()} } has been committed.`,
        )
      throw noSuchTransaction(
        `Given transaction number ${number.toString()} does not match any in-progress transactions.`,
      )
    },
    commit(session, number) {
      const transaction = find(session, number)
      if (!transaction) {
        if (wasCommitted(session, number)) return
        throw noSuchTransaction(
          `Given transaction number ${number.toString()} does not match any in-progress transactions.`,
        )
      }
      data.store.write(() => {
        applyUnit(data, transaction.unit)
        keepAnswer(session, { number, reply: documentOf({ [COMMITTED]: true }) })
      })
      data.commits++
      release(transaction)
    },
    abort(session, number) {
      const transaction = find(session, number)
      if (transaction) {
        release(transaction)
        return
      }
      if (wasCommitted(session, number))
        throw new CommandError(
          'TransactionCommitted',
          `Transaction ${number.toString()} has been committed.`,
        )
      throw noSuchTransaction(
        `Transaction with { txnNumber: ${number.toString()} } has been aborted.`,
      )
    },
    end(session) {
      const transaction = open.get(session)
      if (transaction) release(transaction)
      cursors.killSession(session)
    },
    lastAnswer,
    keepAnswer,
    abortAll: () => [...open.values()].forEach(release),
    sweep() {
      const now = Date.now()
      for (const transaction of open.values())
        if (transaction.usedAt < now - TRANSACTION_IDLE_MS) release(transaction)
      sweepAnswers(data, now - ANSWER_KEPT_MS)
    },
  }
}

export const transactionKey = ({ session, number }: Transaction): string =>
  `${session}/${number.toString()}`

function sweepAnswers(data: Data, before: number): void {
  const old: Buffer[] = []
  for (const { key, value } of data.store.sessions.getRange({})) {
    const { at } = decodeDocument(value)
    if (at instanceof Date && at.getTime() < before) old.push(key)
  }
  if (old.length === 0) return
  data.store.write(() => {
    for (const key of old) data.store.sessions.removeSync(key)
  })
}
