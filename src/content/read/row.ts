import type { Database } from '../../mongo/connection/database.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type {
  EntryFormat,
  FieldSelection,
  PopulateNode,
  Reader,
  Status,
  VersionKey,
} from '../../query/query.ts'
import { nodeName } from '../../query/node-name.ts'
import type { Data } from '../../schema/definition.ts'
import type { ShapePlan, ContentTypePlan } from '../../schema/plan.ts'
import { type Entry, toEntry } from './to-entry.ts'

export interface PopulateContext {
  readonly database: Database
  readonly reader: Reader
}

/** Locale and status determine the versions of its relations. */
export interface Row {
  readonly values: Data
  readonly entry: Entry
  /** Target of its attributes: the entry itself, or `attributes` in the older format. */
  readonly shown: Data
  readonly format: EntryFormat
  readonly documentId: string
  readonly key: VersionKey
  times: number
}

interface RowSelection {
  readonly fields: FieldSelection
  readonly populate: readonly PopulateNode[]
}

/** Populated attributes are null until their queries complete. */
export function toRow(
  values: Data,
  holder: ShapePlan,
  selection: RowSelection,
  { documentId, key, format, times }: Pick<Row, 'documentId' | 'key' | 'format' | 'times'>,
): Row {
  const flat = toEntry(values, holder, selection.fields)
  const isNested = format === 'v4' && 'collectionName' in holder
  const { entry, shown } = isNested ? nestAttributes(flat) : { entry: flat, shown: flat }
  // Creates keys in the order of the request, because queries complete in any order.
  for (const node of selection.populate) shown[nodeName(node)] = null
  return { values, entry, shown, format, documentId, key, times }
}

interface VersionView {
  readonly status: Status
  readonly format: EntryFormat
  readonly times?: number
}

export function toVersionRow(
  version: StoredVersion,
  plan: ContentTypePlan,
  selection: RowSelection,
  { status, format, times = 0 }: VersionView,
): Row {
  const { documentId, locale } = version
  return toRow(version, plan, selection, { documentId, key: { locale, status }, format, times })
}

function nestAttributes({ id, documentId, ...attributes }: Entry): Pick<Row, 'entry' | 'shown'> {
  return { entry: { id, documentId, attributes }, shown: attributes }
}

/** The older format wraps related documents in `data`. */
export function showDocuments({ format }: Row, documents: unknown): unknown {
  return format === 'v4' ? { data: documents } : documents
}
