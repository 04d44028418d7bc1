import type { Data } from '../../schema/definition.ts'
import type { ShapePlan, AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import { singleDocumentId } from '../../content/write/single-document-id.ts'

const REFERENCE = { fields: { 0: 'documentId' } }
const EVERY_SCALAR = true
const MAX_DEPTH = 6

export function populateWhole(holder: ShapePlan, depth = 0): Data {
  return Object.fromEntries(
    [...holder.attributes.values()].flatMap((attribute): [string, unknown][] => {
      const asked = populateOf(attribute, depth)
      return asked === null ? [] : [[attribute.name, asked]]
    }),
  )
}

function populateOf(attribute: AttributePlan, depth: number): unknown {
  if (attribute.private || attribute.kind === 'scalar') return null
  if (attribute.kind === 'media') return REFERENCE
  if (attribute.kind === 'relation') return isTaken(attribute) ? REFERENCE : null
  if (depth === MAX_DEPTH) return EVERY_SCALAR
  const within = (component: ShapePlan): unknown => {
    const populate = populateWhole(component, depth + 1)
    return Object.keys(populate).length === 0 ? EVERY_SCALAR : { populate }
  }
  if (attribute.kind === 'component') return within(attribute.component())
  const on = [...attribute.components()].map(([uid, plan]) => [uid, within(plan)] as const)
  return { on: Object.fromEntries(on) }
}

/** Only owning sides between `api::` types, because the inverse sides follow from them. */
function isTaken(attribute: AttributePlan): boolean {
  return (
    attribute.kind === 'relation' &&
    attribute.side === 'owner' &&
    attribute.targetUid.startsWith('api::')
  )
}

export function entryData(entry: Data, holder: ShapePlan, stored: ReadonlySet<string>): Data {
  return Object.fromEntries(
    [...holder.attributes.values()].flatMap((attribute): [string, unknown][] => {
      const value = entry[attribute.name]
      if (value === undefined || attribute.private) return []
      if (attribute.kind === 'relation' && !isTaken(attribute)) return []
      return [[attribute.name, valueOf(value, attribute, stored)]]
    }),
  )
}

function valueOf(value: unknown, attribute: AttributePlan, stored: ReadonlySet<string>): unknown {
  switch (attribute.kind) {
    case 'scalar':
      return value
    case 'relation':
      return namesOf(value, attribute.toMany, documentIdIn(attribute.target()))
    case 'media':
      return namesOf(value, attribute.multiple, ({ documentId }) =>
        stored.has(documentId) ? documentId : null,
      )
    case 'component':
      return each(value, (one) => entryData(one, attribute.component(), stored))
    case 'dynamiczone':
      return each(value, (one) => {
        const uid = String(one['__component'])
        const plan = attribute.components().get(uid)
        return { __component: uid, ...(plan === undefined ? {} : entryData(one, plan, stored)) }
      })
  }
}

interface DocumentReference {
  readonly documentId: string
}

/** The documentId of a single type is derived from its name, so it can differ from the source. */
function documentIdIn(target: ContentTypePlan): (named: DocumentReference) => string {
  const single = target.kind === 'singleType' ? singleDocumentId(target.uid) : null
  return ({ documentId }) => single ?? documentId
}

function namesOf(
  value: unknown,
  many: boolean,
  nameOf: (named: DocumentReference) => string | null,
): unknown {
  const list = (Array.isArray(value) ? value : [value]).filter(
    (one) => one !== null,
  ) as DocumentReference[]
  const names = list.map(nameOf).filter((name) => name !== null)
  return many ? names : (names[0] ?? null)
}

function each(value: unknown, read: (one: Data) => Data): unknown {
  if (Array.isArray(value)) return (value as Data[]).map(read)
  return value === null ? null : read(value as Data)
}
