import { BSON, type Document } from 'mongodb'
import type { Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, ShapePlan } from '../../schema/plan.ts'
import { AdoptedTable } from './adopted-table.ts'
import { isAdopted } from './adopted-expression.ts'
import type { Database } from '../connection/database.ts'
import type { Table } from '../connection/table.ts'
import { toAttributeNames } from './row-names.ts'

declare const ROW: unique symbol

/** The writer of a version. Writers without an id, such as commands and root, are not stored. */
export interface VersionAuthor {
  readonly kind: string
  readonly id: string | number
}

interface SystemMembers {
  readonly id: number
  readonly documentId: string
  readonly locale: string
  readonly status: Status
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly publishedAt: Date | null
  /** Missing in versions of older servers. */
  readonly createdBy?: VersionAuthor | null
  readonly updatedBy?: VersionAuthor | null
  readonly _revision?: string
  readonly _commit?: string
}

/** A version whose members have the names of their attributes. */
export interface StoredVersion extends Data, SystemMembers {
  readonly [ROW]?: never
}

export type VersionDocument = Document & { readonly _id: string }

/** A version as it is in the database: its members have their stored names. */
export type VersionRow = SystemMembers & VersionDocument & { readonly [ROW]: true }

export function versionsOf(database: Database, plan: ContentTypePlan): Table<VersionDocument> {
  const table = database.table<VersionDocument>(plan.collectionName)
  if (!isAdopted(plan)) return table
  const keyed = { plan, key: database.revisionKey }
  return table.as((...parts) => new AdoptedTable(keyed, ...parts))
}

/** The driver (7.8) decodes each reply twice under command monitoring, unless it returns BSON. */
export function decodeVersion(plan: ShapePlan, bytes: Uint8Array): StoredVersion {
  return asVersion(plan, BSON.deserialize(bytes, DECODING))
}

export function decodeRow(bytes: Uint8Array): VersionRow {
  return asRow(BSON.deserialize(bytes, DECODING))
}

export const DECODING = { useBigInt64: true } as const

/** Renames the members of a row. Its values are not checked, because only this folder writes versions. */
export function asVersion(plan: ShapePlan, document: Document): StoredVersion {
  return named(toAttributeNames(plan, document))
}

export function named(document: Document): StoredVersion {
  return document as unknown as StoredVersion
}

export function asRow(document: Document): VersionRow {
  return document as VersionRow
}
