import type { Document } from 'mongodb'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { LOCK, newRevision } from '../versions/version-fields.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { assertNotHeld } from './hold-documents.ts'

/** The carried members of locked versions, by `_id`. */
export type StatesBefore = ReadonlyMap<string, Document>

const carried = new WeakMap<ContentTypePlan, readonly string[]>()

/** Sets the members of each type that its commit items carry. Other types carry none. */
export function carryMembers(
  plans: Iterable<ContentTypePlan>,
  names: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const plan of plans) {
    const own = names.get(plan.uid)
    if (own === undefined || own.size === 0) carried.delete(plan)
    else carried.set(plan, [...own].sort())
  }
}

/** Null if commit items of the type carry nothing. A missing member is null, as in comparisons. */
export function carriedMembers(plan: ContentTypePlan, version: Document): Document | null {
  const names = carried.get(plan)
  if (names === undefined) return null
  return Object.fromEntries(names.map((name) => [name, (version[name] as unknown) ?? null]))
}

export function carriedProjection(plan: ContentTypePlan): Readonly<Record<string, 1>> {
  return Object.fromEntries((carried.get(plan) ?? []).map((name) => [name, 1]))
}

/**
 * Locks all versions that match, and returns their carried members. Null if the type carries nothing, and without
 * transactions, where another writer could change the versions in the meantime.
 */
export async function carryBefore(
  database: Database,
  plan: ContentTypePlan,
  filter: Document,
  session: Session,
): Promise<StatesBefore | null> {
  if (!carried.has(plan) || !database.hasTransactions) return null
  const options = { session, projection: { _id: 1 }, sort: { _id: 1 } } as const
  const found = await versionsOf(database, plan).find(filter, options).toArray()
  const states = new Map<string, Document>()
  for (const { _id } of found) {
    const row = await versionsOf(database, plan).findOneAndUpdate(
      { _id },
      { $set: { [LOCK]: newRevision() } },
      { session, returnDocument: 'before' },
    )
    if (row === null) continue
    assertNotHeld(row[LOCK])
    states.set(_id, carriedMembers(plan, row) ?? {})
  }
  return states
}

/** The state of a version of which the caller holds a copy that cannot change before the write. */
export function stateOfCopy(plan: ContentTypePlan, version: Document | null): StatesBefore | null {
  if (!carried.has(plan)) return null
  if (version === null) return new Map()
  return new Map([[String(version['_id']), carriedMembers(plan, version) ?? {}]])
}
