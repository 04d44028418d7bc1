import type { Database } from '../mongo/database.ts'
import type { FieldSelection, PopulateNode, Reader, VersionKey } from '../query/query.ts'
import type { Data } from '../schema/definition.ts'
import type { AttributeHolder } from '../schema/plan.ts'
import { type Entry, toEntry } from './to-entry.ts'

export interface PopulateContext {
  readonly database: Database
  readonly reader: Reader
}

/** An entry in the making: what is stored of it, and the place from which its relations are seen. */
export interface Row {
  readonly values: Data
  readonly entry: Entry
  readonly documentId: string
  readonly key: VersionKey
}

/** What an answer shows of a stored version or component; its populated attributes are still unset. */
export function toRow(
  values: Data,
  holder: AttributeHolder,
  selection: { readonly fields: FieldSelection; readonly populate: readonly PopulateNode[] },
  { documentId, key }: Pick<Row, 'documentId' | 'key'>,
): Row {
  const entry = toEntry(values, holder, selection.fields)
  // Set in the request's order before any query ends, so that an answer's keys have one order.
  for (const node of selection.populate) entry[nameOf(node)] = null
  return { values, entry, documentId, key }
}

function nameOf(node: PopulateNode): string {
  switch (node.kind) {
    case 'relation':
      return node.relation.name
    case 'component':
      return node.component.name
    case 'zone':
      return node.zone.name
    case 'media':
      return node.media.name
    case 'localizations':
      return 'localizations'
    case 'users':
      return 'related'
  }
}
