import type { ResumeToken } from '../../mongo/adopted/change-streams.ts'
import { isAdopted } from '../../mongo/versions/adopted-expression.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { noteItems } from '../../mongo/connection/commit-record.ts'
import type { LeasedRow } from '../../mongo/system/row-lease.ts'
import type { AdoptedIdKind } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { Schema } from '../../schema/plan.ts'

export interface FollowedCollection {
  readonly collection: string
  readonly type: string
  readonly idKind: AdoptedIdKind
}

export interface ForeignRow extends LeasedRow {
  readonly _id: 'foreign'
  /** All changes before it are in the commit log. */
  readonly token: ResumeToken
  /** All changes until then are in the commit log. */
  readonly at: Date
  /** Of all running releases. A process follows collections that it does not declare itself. */
  readonly collections: readonly FollowedCollection[]
  /** Changes with `collections`, so that the holder reads them again. */
  readonly version: number
}

export const FOREIGN = { _id: 'foreign' } as const

export const foreignRowsOf = (database: Database) =>
  database.table<ForeignRow>('quire_foreign_changes')

export function followedIn({ contentTypes }: Pick<Schema, 'contentTypes'>): FollowedCollection[] {
  return [...contentTypes.values()]
    .filter(isAdopted)
    .flatMap(({ uid, collectionName, adopted }) => {
      const { isFollowed, idKind } = adopted
      return isFollowed ? [{ collection: collectionName, type: uid, idKind }] : []
    })
}

export function isSameCollection(one: FollowedCollection, other: FollowedCollection): boolean {
  return (
    one.collection === other.collection && one.type === other.type && one.idKind === other.idKind
  )
}

/** Devices read these types again, because changes of any entry may be missing in the log. */
export function noteLost(session: Session, types: Iterable<string>): void {
  const items = [...new Set(types)].map((type) => ({
    type,
    documentId: '',
    locale: NO_LOCALE,
    status: 'published' as const,
    op: 'put' as const,
    revision: null,
    lost: true as const,
  }))
  noteItems(session, items)
}
