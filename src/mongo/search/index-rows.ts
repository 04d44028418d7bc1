import { Binary } from 'mongodb'
import { ANALYSIS_VERSION } from '../../query/text/analyze-text.ts'
import { languageOf } from '../../query/text/languages.ts'
import type { VersionKey } from '../../query/query.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import type { Table } from '../connection/table.ts'
import { ensureIndexes } from '../system/system-collections.ts'

/**
 * A part of a segment, which never changes. The `_id` is that of the segment, and `:i` for its directory, `:t` and a
 * number for a block of terms, `:d` and a number for a chunk of entries, `:s` for the directory of its spelling keys, or
 * `:w` and a number for a block of them.
 */
export interface SegmentRow {
  readonly _id: string
  readonly b?: Binary
  /** Of a directory: the first term or key of each block. */
  readonly t?: readonly string[]
  /** Of the directory: the first document of each chunk. */
  readonly d?: readonly string[]
}

export const SEARCH_PREFIX = 'quire_search_'

export function segmentRowsOf(
  database: Database,
  { collectionName }: Pick<ContentTypePlan, 'collectionName'>,
): Table<SegmentRow> {
  return database.table<SegmentRow>(`${SEARCH_PREFIX}${collectionName}`)
}

/** The entries of many versions, in the order of their documents. */
export interface Segment {
  readonly id: string
  readonly entries: number
  /** A bit for each entry that is deleted or in a newer segment. Empty if there is none. */
  readonly dead: Binary
  readonly living: number
  /** The number of words per attribute, of living entries. */
  readonly words: readonly number[]
}

/** The index of the versions of a type that have the same form, status and locale. */
export interface TextIndexRow {
  /** The uid of the type and the search key. */
  readonly _id: string
  readonly type: Uid
  readonly form: string
  /** A process changes the row only if it has read this number. */
  readonly revision: number
  readonly segments: readonly Segment[]
}

export const textIndexesOf = (database: Database) =>
  database.table<TextIndexRow>('quire_text_indexes')

/** A version that is in no segment yet, or was until recently. */
export interface RecentVersionRow {
  /** The uid of the type and the `_id` of the version. */
  readonly _id: string
  readonly type: Uid
  readonly form: string
  /** The commit after which the version was read. A delayed process replaces no newer row. */
  readonly seq: number
  /** The `_id` of the index. Absent if the version is deleted or in a segment. */
  readonly index?: string
  readonly documentId: string
  readonly id?: number
  readonly updatedAt?: Date
  /** The number of words per attribute. */
  readonly n?: readonly number[]
  readonly b?: Binary
  /** The row stays for a while after this time, to refuse older ones. */
  readonly movedAt?: Date
}

export const recentRowsOf = (database: Database) =>
  database.table<RecentVersionRow>('quire_text_recent')

export function recentId(plan: Pick<ContentTypePlan, 'uid'>, version: string): string {
  return `${plan.uid} ${version}`
}

export function toBinary(bytes: Uint8Array): Binary {
  return new Binary(bytes)
}

/** The form also depends on the default locale, whose language entries without a locale have. */
export function searchForm({ search, localized }: ContentTypePlan, defaultLocale: string): string {
  const shape = search?.shape() ?? ''
  const language = localized ? '' : `.${languageOf(defaultLocale)}`
  return `${ANALYSIS_VERSION}.${shape}${language}`
}

export function textIndexId(
  { uid }: Pick<ContentTypePlan, 'uid'>,
  form: string,
  { status, locale }: VersionKey,
): string {
  return `${uid} ${form}:${status}:${locale}`
}

export async function ensureSearchRows(database: Database): Promise<void> {
  await ensureIndexes(recentRowsOf(database), [
    { key: { index: 1 }, name: 'index' },
    { key: { type: 1, seq: 1 }, name: 'type' },
    { key: { movedAt: 1 }, name: 'moved' },
  ])
  await ensureIndexes(textIndexesOf(database), [{ key: { type: 1 }, name: 'type' }])
}

/** Deletes the index of a type. Searches find nothing until it is built again. */
export async function deleteTextIndex(database: Database, plan: ContentTypePlan): Promise<void> {
  const { uid: type } = plan
  await textIndexesOf(database).deleteMany({ type })
  await recentRowsOf(database).deleteMany({ type })
  await segmentRowsOf(database, plan).deleteMany({})
}
