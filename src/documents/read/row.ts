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

/** An entry in the making: what is stored of it, and the place from which its relations are seen. */
export interface Row {
  readonly values: Data
  readonly entry: Entry
  /** Where its attributes go: the entry itself, or in the older format its `attributes`. */
  readonly shown: Data
  readonly format: EntryFormat
  readonly documentId: string
  readonly key: VersionKey
  /** How often the answer shows the entry; none until something does. */
  times: number
}

interface RowSelection {
  readonly fields: FieldSelection
  readonly populate: readonly PopulateNode[]
}

/** What an answer shows of a stored version or component; its populated attributes are still unset. */
export function toRow(
  values: Data,
  holder: ShapePlan,
  selection: RowSelection,
  { documentId, key, format, times }: Pick<Row, 'documentId' | 'key' | 'format' | 'times'>,
): Row {
  const flat = toEntry(values, holder, selection.fields)
  const isNested = format === 'v4' && 'collectionName' in holder // components stay flat
  const { entry, shown } = isNested ? nestAttributes(flat) : { entry: flat, shown: flat }
  // Set in the request's order before any query ends, so that an answer's keys have one order.
  for (const node of selection.populate) shown[nodeName(node)] = null
  return { values, entry, shown, format, documentId, key, times }
}

interface VersionView {
  readonly status: Status
  readonly format: EntryFormat
  readonly times?: number
}

/** The row of a stored version, whose relations are seen from its own locale. */
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

/** Other documents as an entry shows them: in the older format within `data`. */
export function showDocuments({ format }: Row, documents: unknown): unknown {
  return format === 'v4' ? { data: documents } : documents
}
