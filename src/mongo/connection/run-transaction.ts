import { setTimeout as delay } from 'node:timers/promises'
import { type ClientSession, MongoError, MongoErrorLabel, type TransactionOptions } from 'mongodb'
import { CommitBehind } from './commit-record.ts'
import {
  HeldByRelease,
  isDeadlock,
  isOutOfTime,
  isPlanKilled,
  isWriteConflict,
  WaitedForValue,
} from './database-error.ts'
import type { Caller } from '../../base/caller.ts'
import { TurnTaken, type WriteTurn } from '../sharing/write-turns.ts'

export interface TransactionRun {
  readonly options: TransactionOptions
  /** Time limit for retries, from the first attempt or the last conflict. */
  readonly timeoutMs: number
  /** Time limit for waiting for other writes of the same document or value, in all processes. */
  readonly conflictTimeoutMs: number
  readonly turn?: WriteTurn
  readonly caller?: Caller | null
  /** Called at each failed attempt after another write has held the document or value for a second. */
  readonly onConflict: () => void
  /** Aborts instead of committing, because a commit of the embedded engine writes to the disk. */
  readonly readsOnly?: boolean
  /** An error of it aborts the transaction. */
  readonly beforeCommit?: () => Promise<void> | undefined
}

/** Normal conflicts end within milliseconds. A longer conflict indicates a killed process. */
const LASTING_MS = 1_000
const MAX_REST_MS = 500
/** Each process has one writer per document. A longer pause would let other processes overtake it forever. */
const MAX_CONFLICT_REST_MS = 100

/**
 * Runs `work` and commits. If the result of the commit is unknown, only the commit is retried.
 * `withTransaction` of driver 7.8 retries for two minutes, longer than callers wait.
 */
export async function runTransaction<T>(
  session: ClientSession,
  work: () => Promise<T>,
  run: TransactionRun,
): Promise<T> {
  const { options } = run
  const rules = retryRules(run)
  for (let attempt = 1; ; attempt += 1) {
    rules.begin()
    session.startTransaction(options)
    try {
      const result = await work()
      await run.beforeCommit?.()
      await end(session, rules.deadline(), run)
      return result
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction()
      await untilNextAttempt(error, attempt, run, rules)
    }
  }
}

async function untilNextAttempt(
  error: unknown,
  attempt: number,
  { turn, caller = null }: TransactionRun,
  rules: ReturnType<typeof retryRules>,
): Promise<void> {
  if (turn !== undefined && error instanceof TurnTaken) {
    await turn.wait({ deadline: rules.conflictDeadline, caller })
    rules.noteTurn()
    return
  }
  if (caller?.hasLeft() === true || !rules.mayRetry(error)) throw error
  if (error instanceof HeldByRelease) turn?.release()
  await backOff(attempt, isConflict(error) ? MAX_CONFLICT_REST_MS : MAX_REST_MS)
}

function retryRules({ timeoutMs, conflictTimeoutMs, onConflict }: TransactionRun) {
  let beganMs = performance.now()
  let deadline = beganMs + timeoutMs
  const conflictDeadline = beganMs + conflictTimeoutMs
  let attempts = 0
  let conflictSinceMs: number | null = null
  let killed = 0
  const mayGoOnWaiting = (error: unknown): boolean => {
    const waited = error instanceof WaitedForValue
    const now = performance.now()
    deadline = now + timeoutMs
    conflictSinceMs ??= waited ? beganMs : now
    if (now - conflictSinceMs >= LASTING_MS) onConflict()
    // A wait for a value may have used all the time of its command, so it is retried once in any case.
    return now < conflictDeadline || (waited && attempts === 1)
  }
  return {
    conflictDeadline,
    deadline: () => deadline,
    begin: () => {
      attempts += 1
      beganMs = performance.now()
    },
    noteTurn: () => {
      attempts -= 1
      deadline = performance.now() + timeoutMs
    },
    mayRetry: (error: unknown): boolean => {
      if (isConflict(error)) return mayGoOnWaiting(error)
      conflictSinceMs = null
      if (isPlanKilled(error)) return ++killed === 1
      const isTransient =
        error instanceof CommitBehind || hasLabel(error, MongoErrorLabel.TransientTransactionError)
      return isTransient && performance.now() < deadline
    },
  }
}

function isConflict(error: unknown): boolean {
  if (error instanceof WaitedForValue || isDeadlock(error)) return true
  return isWriteConflict(error) && hasLabel(error, MongoErrorLabel.TransientTransactionError)
}

function end(
  session: ClientSession,
  deadline: number,
  { readsOnly = false }: TransactionRun,
): Promise<void> {
  return readsOnly ? session.abortTransaction() : commit(session, deadline)
}

/** Retries are safe: a repeated commit reports the result of the first. */
async function commit(session: ClientSession, deadline: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await session.commitTransaction()
      return
    } catch (error) {
      const isUnknown = hasLabel(error, MongoErrorLabel.UnknownTransactionCommitResult)
      if (!isUnknown || isOutOfTime(error) || performance.now() >= deadline) throw error
    }
    await backOff(attempt, MAX_REST_MS)
  }
}

/** Randomized exponential backoff, with the times of the driver. */
async function backOff(attempt: number, maxRestMs: number): Promise<void> {
  await delay(Math.random() * Math.min(5 * 1.5 ** attempt, maxRestMs))
}

function hasLabel(error: unknown, label: MongoErrorLabel): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label)
}
