import type { ContentTypePlan } from '../../schema/plan.ts'
import { type Authorship, currentAuthorship, currentCaller } from '../connection/authorship.ts'
import { beginNextCommit, commitIdOf } from '../connection/commit-record.ts'
import type { Database, Session } from '../connection/database.ts'
import { insertTogether } from '../connection/insert-together.ts'
import type { Caller } from '../sharing/write-turns.ts'
import type { StoredVersion } from '../versions/stored-version.ts'
import { notePut } from './note-versions.ts'
import { assertSmall, storeTogether } from './store-together.ts'
import { takeValues } from './take-turns.ts'
import { insertVersions, statesOfNew, toRows } from './write-versions.ts'

interface NewDocument {
  readonly versions: readonly [StoredVersion, ...StoredVersion[]]
  readonly authorship: Authorship
  readonly caller: Caller | null
}

/**
 * Inserts the versions of a new document that has no other writes. Concurrent inserts into the same
 * content-type share a transaction with one commit log row per document. If the database rejects
 * the shared transaction, each document is inserted on its own.
 * @throws ValidationError if a unique value is taken
 */
export async function insertNew(
  database: Database,
  plan: ContentTypePlan,
  versions: NewDocument['versions'],
): Promise<void> {
  const document = { versions, authorship: currentAuthorship(), caller: currentCaller() }
  const isStored =
    database.hasTransactions &&
    (await database.gatherWrites(
      `insert ${plan.collectionName}`,
      versions[0].documentId,
      document,
      (documents) => insertAll(database, plan, documents),
    ))
  if (isStored !== true) await insertAlone(database, plan, document)
}

async function insertAll(
  database: Database,
  plan: ContentTypePlan,
  documents: readonly NewDocument[],
): Promise<readonly (true | null)[]> {
  const [first, ...others] = documents
  if (first !== undefined && others.length === 0) {
    await insertAlone(database, plan, first)
    return [true]
  }
  const stored = await storeTogether(database, async (session) => {
    await insertRows(database, plan, documents, session)
    return true as const
  })
  return documents.map(() => stored)
}

function insertAlone(
  database: Database,
  plan: ContentTypePlan,
  { versions, authorship, caller }: NewDocument,
): Promise<void> {
  return database.transact((session) => {
    beginNextCommit(session, authorship) // this may run in the context of another request
    return insertVersions(database, plan, versions, session)
  }, caller)
}

async function insertRows(
  database: Database,
  plan: ContentTypePlan,
  documents: readonly NewDocument[],
  session: Session,
): Promise<void> {
  const rows = documents.flatMap(({ versions, authorship }) => {
    beginNextCommit(session, authorship)
    const own = toRows(versions, commitIdOf(session), statesOfNew(versions))
    notePut(plan, own, session, { isNew: true })
    return own
  })
  assertSmall(rows)
  for (const row of rows) takeValues(plan, { ...row, values: row }, session)
  await insertTogether(database, plan.collectionName, rows, session)
}
