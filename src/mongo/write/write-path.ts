import { MongoNetworkError } from 'mongodb'
import { CmsError, ConflictError } from '../../base/errors.ts'
import type { VersionKey } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { SYSTEM, type WriteOrigin } from '../connection/authorship.ts'
import { beginNextCommit, CommitBehind, dropCommit } from '../connection/commit-record.ts'
import { isBrokenSocket, isDuplicateKey } from '../connection/database-error.ts'
import type { Database, Session } from '../connection/database.ts'
import { findVersions } from '../read/get-versions.ts'
import { versionId } from '../versions/version-match.ts'
import { tryTakeDocument } from '../sharing/write-turns.ts'
import { VersionBatch } from './version-batch.ts'

/**
 * One write of a document. A write takes these steps, alone or in a group:
 *
 * 1. prepare: the operation validates the payload, looks up its targets, and makes the item (`content/write`).
 * 2. group: items of one content-type that arrive together share a transaction (`writeDocument`).
 * 3. read: the group reads the versions that its items change, with one command.
 * 4. compute: each item runs its `write`, in a commit of its own. `write-versions.ts` only collects the changes.
 * 5. write: the group sends all changes, with one command for new and one for stored versions.
 * 6. log rows: one row per item, with one command. Then the transaction commits.
 *
 * A database with `bulkWrite` takes steps 5 and 6 with one command. Elsewhere, and for one stored version, an item that
 * is alone in its group sends each command at once. A failed group writes each of its items alone.
 * A group runs in the context of its first item, so items contain everything that a step needs.
 */
export interface WriteItem<T> {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly origin: WriteOrigin
  /** All of them exist. Null if the write reaches others or stores further rows. It then has its own transaction. */
  readonly changes: readonly VersionKey[] | null
  /** Computes and writes the versions. May run several times, also in different transactions. */
  readonly write: (session: Session) => Promise<T>
}

interface Written<T> {
  readonly result: T
}

/** Groups concurrent writes of one content-type. @throws errors of `write`, and of the commit to all writes */
export function writeDocument<T>(database: Database, item: WriteItem<T>): Promise<T> {
  const { plan, documentId, changes, write, origin } = item
  const isShared = changes !== null && database.hasTransactions
  return retryCollisions(async () => {
    const written = isShared
      ? await database.gatherWrites<WriteItem<T>, Written<T>>(
          `write ${plan.collectionName}`,
          documentId,
          item,
          (items) => writeGroup(database, items),
        )
      : null
    return written === null ? database.transact(write, origin) : written.result
  })
}

/**
 * Stores items of one content-type in one transaction, together with `after`. Null if they cannot be stored
 * together. Nothing is stored then, and each item that is written alone reports its own error.
 */
export async function writeTogether<T>(
  database: Database,
  items: readonly WriteItem<T>[],
  after: (results: readonly T[], session: Session) => Promise<void>,
): Promise<readonly T[] | null> {
  const [first] = items
  if (first === undefined || !database.hasTransactions) return null
  const { plan, origin } = first
  const isBatch = items.every(({ changes }) => changes !== null)
  try {
    return await database.transact(async (session) => {
      const written = isBatch
        ? await writeAll(database, plan, items, session)
        : await writeInTurn(items, session)
      const results = written.flatMap((one) => (one === null ? [] : [one.result]))
      if (results.length < items.length) throw new GroupRefused('a write failed')
      await after(results, session)
      return results
    }, origin)
  } catch (error) {
    if (error instanceof GroupRefused) return null
    throw error
  }
}

/** Without a batch, so that guards read the versions of the transaction. */
function writeInTurn<T>(
  items: readonly WriteItem<T>[],
  session: Session,
): Promise<readonly Written<T>[]> {
  return refusingGroup(async () => {
    const written: Written<T>[] = []
    for (const { plan, documentId, origin, write } of items) {
      if (!tryTakeDocument(plan, documentId, session)) throw new GroupRefused('taken')
      beginNextCommit(session, origin.authorship)
      written.push({ result: await write(session) })
    }
    return written
  })
}

/** Null stands for an item that was left out. Nothing of it is stored. */
async function writeGroup<T>(
  database: Database,
  items: readonly WriteItem<T>[],
): Promise<readonly (Written<T> | null)[]> {
  const [first, ...others] = items
  if (first === undefined) return []
  const { plan, write, origin, changes } = first
  const isAlone = others.length === 0
  // A batch of one version would take one more command than `findAndModify`, or as many with `bulkWrite`.
  if (isAlone && (!database.hasBulkWrite || changes?.length === 1)) {
    return [{ result: await database.transact(write, origin) }]
  }
  const caller = isAlone ? origin.caller : null
  try {
    return await database.transact((session) => writeAll(database, plan, items, session), {
      ...SYSTEM,
      caller,
    })
  } catch (error) {
    if (error instanceof GroupRefused) return items.map(() => null)
    throw error
  }
}

function writeAll<T>(
  database: Database,
  plan: ContentTypePlan,
  items: readonly WriteItem<T>[],
  session: Session,
): Promise<readonly (Written<T> | null)[]> {
  return refusingGroup(async () => {
    const free = items.filter(({ documentId }) => tryTakeDocument(plan, documentId, session))
    const stored = await findVersions(database, plan, free.flatMap(idsOf), session)
    const batch = new VersionBatch(stored, session)
    const written = new Map<WriteItem<T>, Written<T> | null>()
    for (const item of free) {
      if (batch.has(idsOf(item))) written.set(item, await compute(batch, item, session))
    }
    await batch.send(database, plan.collectionName, session)
    return items.map((item) => written.get(item) ?? null)
  })
}

/** @throws GroupRefused, or an error after which the transaction is retried */
async function refusingGroup<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const mayRetry = error instanceof CommitBehind || error instanceof MongoNetworkError
    if (mayRetry || isBrokenSocket(error)) throw error
    throw new GroupRefused(error)
  }
}

/** Null if the write fails. It then runs again alone, and its caller gets that error. */
async function compute<T>(
  batch: VersionBatch,
  { origin, write }: WriteItem<T>,
  session: Session,
): Promise<Written<T> | null> {
  beginNextCommit(session, origin.authorship)
  try {
    return { result: await batch.attempt(() => write(session)) }
  } catch (error) {
    if (!(error instanceof CmsError)) throw error
    dropCommit(session)
    return null
  }
}

function idsOf({ documentId, changes }: WriteItem<unknown>): readonly string[] {
  return (changes ?? []).map((key) => versionId(documentId, key))
}

/** Not a driver error, so that the transaction is not retried. */
class GroupRefused extends Error {
  constructor(cause: unknown) {
    super('The writes could not be stored together', { cause })
    this.name = 'GroupRefused'
  }
}

const ATTEMPTS = 5

/** The retry finds the concurrent version or reports the taken value. @throws ConflictError after five attempts */
export async function retryCollisions<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write()
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
      if (attempt < ATTEMPTS) continue
      const message = 'A unique index that these content-types do not declare rejected the write'
      throw new ConflictError(message, {}, { cause: error, code: 'undeclared_unique_index' })
    }
  }
}
