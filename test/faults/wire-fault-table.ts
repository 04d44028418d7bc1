import type { Document } from 'mongodb'
import type { WireFault } from './fault-proxy.ts'
import { WRITE_COMMANDS } from './mongod-answers.ts'

/**
 * Responses of servers that step down, shut down or wait for a majority, with the labels of MongoDB
 * 4.4 and later: https://www.mongodb.com/docs/manual/core/transactions-in-applications and
 * https://www.mongodb.com/docs/manual/core/retryable-writes
 */
export interface FaultKind {
  readonly name: string
  /** Whether a server could respond to this command like this. */
  readonly suits: (command: Document) => boolean
  readonly fault: WireFault
}

/** Writes that report an error for each of their statements. */
const STATEMENTS: ReadonlySet<string> = new Set(['insert', 'update', 'delete'])

const nameOf = (command: Document): string => Object.keys(command)[0] ?? ''
const isEnd = (command: Document): boolean => /^(commit|abort)Transaction$/.test(nameOf(command))
const isCommit = (command: Document): boolean => nameOf(command) === 'commitTransaction'
/** Within a transaction, except for its end. */
const isWithin = (command: Document): boolean => command['autocommit'] === false && !isEnd(command)
const isWrite = (command: Document): boolean => WRITE_COMMANDS.has(nameOf(command))
const always = (): boolean => true

/** The label of errors that MongoDB calls retryable, depending on the place. */
function labelsOf(command: Document): readonly string[] {
  if (isWithin(command)) return ['TransientTransactionError']
  const isNumbered = isWrite(command) && command['txnNumber'] !== undefined
  return isNumbered || isEnd(command) ? ['RetryableWriteError'] : []
}

const failing = (
  code: number,
  codeName: string,
  labels: (command: Document) => readonly string[] = labelsOf,
): WireFault['answer'] => {
  return (command) => {
    const errorLabels = labels(command)
    return {
      ok: 0,
      errmsg: codeName,
      code,
      codeName,
      ...(errorLabels.length > 0 && { errorLabels }),
    }
  }
}

/** Executed, but not confirmed by a majority. */
const unconfirmed = (writeConcernError: Document, errorLabels: readonly string[]): WireFault => ({
  fate: 'carried out',
  answer: (_command, said) => ({
    ...said,
    writeConcernError,
    ...(errorLabels.length > 0 && { errorLabels }),
  }),
})

const transient = (): readonly string[] => ['TransientTransactionError']
const waitsForMajority = (command: Document): boolean =>
  isCommit(command) || (isWrite(command) && !isWithin(command))

/** The response of a server while it is not primary. */
export const STEPPED_DOWN: WireFault = {
  fate: 'aborted',
  answer: failing(10107, 'NotWritablePrimary'),
}

export const FAULT_KINDS: readonly FaultKind[] = [
  {
    name: 'no primary any more',
    suits: always,
    fault: STEPPED_DOWN,
  },
  {
    name: 'a primary that steps down',
    suits: always,
    fault: { fate: 'aborted', answer: failing(189, 'PrimarySteppedDown') },
  },
  {
    name: 'interrupted by a change of the primary',
    suits: always,
    fault: { fate: 'aborted', answer: failing(11602, 'InterruptedDueToReplStateChange') },
  },
  {
    name: 'a shutdown',
    suits: always,
    fault: { fate: 'aborted', answer: failing(11600, 'InterruptedAtShutdown') },
  },
  {
    name: 'a write conflict',
    suits: (command) => isWithin(command) || isCommit(command),
    fault: { fate: 'aborted', answer: failing(112, 'WriteConflict', transient) },
  },
  {
    name: 'a deadlock, as DocumentDB reports it of a write',
    suits: (command) => isWithin(command) && STATEMENTS.has(nameOf(command)),
    fault: {
      fate: 'aborted',
      answer: () => ({
        ok: 1,
        n: 0,
        writeErrors: [
          { index: 0, code: 1, codeName: 'InternalError', errmsg: 'deadlock detected' },
        ],
      }),
    },
  },
  {
    name: 'a transaction that the new primary does not know',
    suits: (command) =>
      (isWithin(command) && command['startTransaction'] !== true) || isCommit(command),
    fault: { fate: 'aborted', answer: failing(251, 'NoSuchTransaction', transient) },
  },
  {
    name: 'out of time',
    suits: always,
    fault: { fate: 'aborted', answer: failing(50, 'MaxTimeMSExpired', () => []) },
  },
  {
    name: 'an error that no driver retries',
    suits: always,
    fault: { fate: 'aborted', answer: failing(8000, 'AtlasError', () => []) },
  },
  {
    name: 'a connection that breaks before',
    suits: always,
    fault: { fate: 'aborted', answer: () => null },
  },
  {
    name: 'a connection that breaks after',
    suits: always,
    fault: { fate: 'carried out', answer: () => null },
  },
  {
    name: 'a shutdown after it was carried out',
    suits: (command) => !isWithin(command),
    fault: { fate: 'carried out', answer: failing(11600, 'InterruptedAtShutdown') },
  },
  {
    name: 'a commit of unknown outcome',
    suits: isCommit,
    fault: {
      fate: 'carried out',
      answer: failing(91, 'ShutdownInProgress', () => [
        'UnknownTransactionCommitResult',
        'RetryableWriteError',
      ]),
    },
  },
  {
    name: 'a majority that is late',
    suits: waitsForMajority,
    fault: unconfirmed(
      {
        code: 64,
        codeName: 'WriteConcernFailed',
        errmsg: 'waiting for replication timed out',
        errInfo: { wtimeout: true },
      },
      [],
    ),
  },
  {
    name: 'a majority that is later than the command may take',
    suits: waitsForMajority,
    fault: unconfirmed(
      { code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'operation exceeded time limit' },
      [],
    ),
  },
  {
    name: 'a primary that steps down before a majority has it',
    suits: waitsForMajority,
    fault: unconfirmed(
      {
        code: 11602,
        codeName: 'InterruptedDueToReplStateChange',
        errmsg: 'operation was interrupted',
      },
      ['RetryableWriteError'],
    ),
  },
]

/** The faults of a sweep: each position fails in each of these ways. */
const SWEPT: ReadonlySet<string> = new Set([
  'a shutdown',
  'out of time',
  'an error that no driver retries',
  'a connection that breaks before',
  'a connection that breaks after',
  'a shutdown after it was carried out',
  'a commit of unknown outcome',
])

export const SWEPT_KINDS: readonly FaultKind[] = FAULT_KINDS.filter(({ name }) => SWEPT.has(name))
