import type { Document } from 'mongodb'
import { ForbiddenError } from '../../base/errors.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { findVersions } from '../read/get-versions.ts'
import { LOCK, newRevision } from '../versions/version-fields.ts'
import type { VersionDocument, VersionRow } from '../versions/stored-version.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { assertNotHeld } from './hold-documents.ts'
import { batchOf } from './version-batch.ts'

/** A version with stored names. */
export interface GuardedRow {
  readonly plan: ContentTypePlan
  readonly row: VersionDocument
  /** Undefined if the row is only compared. */
  readonly session: Session | undefined
}

/** Decides whether a write may change versions. It throws to refuse the whole write. */
export interface RowGuard {
  /** Called before each attempt of the write. */
  begin(): void
  /** Called with a locked version before its first change. */
  before(stored: GuardedRow): Promise<void>
  /** Called with a version that does not exist yet. */
  added(added: GuardedRow): Promise<void>
  /** Called before a write with a locale of the document in which the caller sees no version. */
  unseen(locale: string): Promise<void>
  /** Called with each changed version that remains, after the write. */
  after(changed: GuardedRow): Promise<void>
}

interface GuardedWrite {
  readonly guard: RowGuard
  /** The changed versions by collection. */
  readonly changed: Map<string, Changed>
}

interface Changed {
  readonly plan: ContentTypePlan
  readonly ids: Set<string>
}

function changedIn({ changed }: GuardedWrite, plan: ContentTypePlan): Set<string> {
  const known = changed.get(plan.collectionName) ?? { plan, ids: new Set<string>() }
  changed.set(plan.collectionName, known)
  return known.ids
}

const open = new WeakMap<Session, GuardedWrite>()

/** Runs `work` and shows the guard every version that it changes. @throws ForbiddenError without transactions */
export async function runGuarded<T>(
  database: Database,
  guard: RowGuard | null,
  session: Session,
  work: () => Promise<T>,
): Promise<T> {
  if (guard === null) return work()
  // Without a transaction, a refused write could not be rolled back.
  if (!database.hasTransactions) throw new ForbiddenError('Rules need a replica set')
  if (batchOf(session) !== null) throw new Error('A guarded write shares no batch')
  const outer = open.get(session)
  const write: GuardedWrite = { guard, changed: new Map() }
  open.set(session, write)
  guard.begin()
  try {
    const result = await work()
    for (const { plan, ids } of write.changed.values()) {
      const rows = await findVersions(database, plan, [...ids], session)
      for (const row of rows) await guard.after({ plan, row, session })
    }
    return result
  } finally {
    if (outer === undefined) open.delete(session)
    else open.set(session, outer)
  }
}

/** Locks a version and shows it to the guard. Call it before each change. */
export async function guardVersion(
  database: Database,
  plan: ContentTypePlan,
  _id: string,
  session: Session,
): Promise<void> {
  const write = open.get(session)
  if (write === undefined) return
  const changed = changedIn(write, plan)
  if (changed.has(_id)) return
  const row =
    plan.adopted === undefined
      ? await versionsOf(database, plan).findOneAndUpdate(
          { _id },
          { $set: { [LOCK]: newRevision() } },
          { session, returnDocument: 'before' },
        )
      : await versionsOf(database, plan).findOne({ _id }, { session })
  changed.add(_id)
  if (row === null) return
  assertNotHeld(row[LOCK])
  await write.guard.before({ plan, row, session })
}

/** Like `guardVersion`, for all versions that match a filter. */
export async function guardVersions(
  database: Database,
  plan: ContentTypePlan,
  filter: Document,
  session: Session,
): Promise<void> {
  if (!open.has(session)) return
  const options = { session, projection: { _id: 1 }, sort: { _id: 1 } } as const
  const found = await versionsOf(database, plan).find(filter, options).toArray()
  for (const { _id } of found) await guardVersion(database, plan, _id, session)
}

export async function guardAdded(
  plan: ContentTypePlan,
  rows: readonly VersionRow[],
  session: Session,
): Promise<void> {
  const write = open.get(session)
  if (write === undefined) return
  const changed = changedIn(write, plan)
  for (const row of rows) await write.guard.added({ plan, row, session })
  for (const { _id } of rows) changed.add(_id)
}
