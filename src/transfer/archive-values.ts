import { singleDocumentId } from '../content/write/single-document-id.ts'
import type { Data, Uid } from '../schema/definition.ts'
import type { ShapePlan, AttributePlan, ContentTypePlan, RelationPlan } from '../schema/plan.ts'
import type { ArchiveIndex, LinkedRow } from './archive-index.ts'

export interface ValueSources {
  readonly index: ArchiveIndex
  readonly defaultLocale: string
  readonly planOf: (uid: Uid) => ContentTypePlan | undefined
  readonly leaveBehind: (sentence: string) => void
}

interface Row {
  readonly holder: ShapePlan
  readonly type: Uid
  readonly ref: number
  readonly data: Data
}

/** Relations and media become ordered documentIds. Inverse sides are separate. */
export function valuesOf(
  row: Row,
  sources: ValueSources,
): { readonly data: Data; readonly orders: Readonly<Record<string, readonly string[]>> } {
  const data: Data = {}
  const orders: Record<string, readonly string[]> = {}
  for (const attribute of row.holder.attributes.values()) {
    if (attribute.kind === 'relation' && attribute.side === 'inverse') {
      const order = namesOf(row, attribute.name, attribute.targetUid, sources, seenFirst(sources))
      if (attribute.toMany && order.length > 1) orders[attribute.name] = order
    } else {
      const value = valueOf(row, attribute, sources)
      if (value !== undefined) data[attribute.name] = value
    }
  }
  return { data, orders }
}

function valueOf(row: Row, attribute: AttributePlan, sources: ValueSources): unknown {
  const value = row.data[attribute.name]
  switch (attribute.kind) {
    case 'scalar':
      return value
    case 'relation':
      return referencesOf(row, attribute, sources)
    case 'media': {
      const files = namesOf(row, attribute.name, attribute.files.targetUid, sources)
      return attribute.multiple ? files : (files[0] ?? null)
    }
    case 'component':
      return each(value, (element) => componentOf(attribute.component(), element, sources))
    case 'dynamiczone':
      return each(value, (element) => {
        const uid = String(element['__component'])
        const component = attribute.components().get(uid)
        if (component === undefined) return { __component: uid }
        return { __component: uid, ...componentOf(component, element, sources) }
      })
  }
}

function referencesOf(row: Row, relation: RelationPlan, sources: ValueSources): unknown {
  const names = namesOf(row, relation.name, relation.targetUid, sources)
  return relation.toMany ? names : (names[0] ?? null)
}

function componentOf(holder: ShapePlan, data: Data, sources: ValueSources): Data {
  return valuesOf({ holder, type: holder.uid, ref: Number(data['id']), data }, sources).data
}

function namesOf(
  { type, ref }: Pick<Row, 'type' | 'ref'>,
  field: string,
  target: Uid,
  sources: ValueSources,
  inOrder: (rows: readonly LinkedRow[]) => readonly LinkedRow[] = asGiven,
): readonly string[] {
  const names = new Set<string>()
  for (const linked of inOrder(sources.index.linked(type, ref, field))) {
    const documentId = linked.type === target ? documentIdOf(linked, sources) : null
    if (documentId !== null) names.add(documentId)
    else sources.leaveBehind(`${type} ${ref}: ${field}: its link to ${linked.type} ${linked.ref}`)
  }
  return [...names]
}

function asGiven(rows: readonly LinkedRow[]): readonly LinkedRow[] {
  return rows
}

/** Links have separate positions. The order of the published default locale comes first. */
function seenFirst({ index, defaultLocale }: ValueSources) {
  return (rows: readonly LinkedRow[]): readonly LinkedRow[] => {
    const rankOf = ({ type, ref }: LinkedRow): number => {
      const row = index.row(type, ref)
      const isDefault = row?.locale === null || row?.locale === defaultLocale
      return (row?.published === true ? 0 : 1) + (isDefault ? 0 : 2)
    }
    return rows.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

function documentIdOf({ type, ref }: LinkedRow, { index, planOf }: ValueSources): string | null {
  const row = index.row(type, ref)
  const plan = planOf(type)
  if (row === null || plan === undefined) return null
  return plan.kind === 'singleType' ? singleDocumentId(type) : row.documentId
}

function each(value: unknown, read: (element: Data) => Data): unknown {
  if (Array.isArray(value)) return (value as Data[]).map(read)
  return value === null || value === undefined ? value : read(value as Data)
}
