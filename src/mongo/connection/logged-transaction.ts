import {
  type ClientSession,
  type Collection,
  type Document,
  MongoServerError,
  type RunCommandOptions,
} from 'mongodb'
import type { Authorship } from './authorship.ts'
import { beginCommit, CommitBehind, COMMITS, itemsOf, rowIdsOf, takeRows } from './commit-record.ts'
import { writeAtOnce } from './bulk-write.ts'
import type { CommitListener } from './database.ts'

export interface CommitTarget {
  readonly rows: Collection
  readonly maxTimeMS: number
  readonly hasBulkWrite: boolean
  readonly command: (command: Document, options: RunCommandOptions) => Promise<Document>
}

export interface LoggedTransactions {
  /** Runs `transact`, and writes the changes of each attempt to the log as its last command. */
  run<T>(
    session: ClientSession,
    authorship: Authorship,
    work: (session: ClientSession) => Promise<T>,
    transact: (attempt: () => Promise<T>) => Promise<T>,
  ): Promise<T>
  writeCommit(session: ClientSession, writes?: readonly Document[]): Promise<number>
  onCommit(listener: CommitListener): () => void
  announceCommit: CommitListener
}

const NAMESPACE_EXISTS = 48

/** Each row of a commit is in exactly one index: pending, numbered, or part of an unfinished bulk write. */
const INDEXES = [
  {
    key: { pending: 1, _id: 1 },
    name: 'pending',
    partialFilterExpression: { pending: 1 },
  },
  { key: { seq: 1 }, name: 'seq', partialFilterExpression: { seq: { $gt: 0 } } },
  { key: { intent: 1 }, name: 'intent', partialFilterExpression: { intent: 1 } },
]

/** Opens transactions that write their changes to the commit log. Each change of content has exactly one row. */
export function openLoggedTransactions(target: CommitTarget): LoggedTransactions {
  const listeners = new Set<CommitListener>()
  let ready: Promise<void> | null = null
  const makeReady = (): Promise<void> => {
    ready ??= ensureLog(target.rows).catch((error: unknown) => {
      ready = null
      throw error
    })
    return ready
  }
  const announceCommit: CommitListener = (items, ids) => {
    for (const listen of listeners) listen(items, ids)
  }
  const writeCommit = (session: ClientSession, writes: readonly Document[] = []) => {
    const rows = takeRows(session)
    const log = rows.length === 0 ? [] : [{ insert: COMMITS, documents: [...rows] }]
    const run = (command: Document) => target.command(command, { session })
    const { maxTimeMS, hasBulkWrite } = target
    const name = target.rows.dbName
    return writeAtOnce({ name, hasBulkWrite, run }, [...writes, ...log], maxTimeMS)
  }
  return {
    writeCommit,
    run: async (session, authorship, work, transact) => {
      await makeReady()
      let after: string | null = null
      const result = await transact(async () => {
        beginCommit(session, authorship, after)
        try {
          const made = await work(session)
          await writeCommit(session)
          return made
        } catch (error) {
          if (error instanceof CommitBehind) ({ after } = error)
          throw error
        }
      })
      const items = itemsOf(session)
      if (items.length > 0) announceCommit(items, rowIdsOf(session))
      return result
    },
    announceCommit,
    onCommit: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** A transaction needs an existing collection. Retries if several processes start concurrently. */
async function ensureLog(rows: Collection): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rows.createIndexes(INDEXES)
      return
    } catch (error) {
      const isRace = error instanceof MongoServerError && error.code === NAMESPACE_EXISTS
      if (!isRace || attempt === 5) throw error
    }
  }
}
