import type { Operation } from '@quire/merge/apply-operation'
import type { ContentPlan, Link, ShapePlan, SyncedContent } from './content-plan.ts'
import type { EntryPatch } from './mutation.ts'
import { listDocumentIds } from './tables.ts'

type Values = Readonly<Record<string, unknown>>
type Plan = Pick<ContentPlan<SyncedContent>, 'components'>

/** A change of a relation, as in writes of the client. */
interface RelationChange {
  readonly connect?: readonly (string | Connected)[]
  readonly disconnect?: readonly string[]
  readonly set?: readonly string[]
}

interface Connected {
  readonly documentId: string
  readonly position?: {
    readonly start?: true
    readonly end?: true
    readonly before?: string
    readonly after?: string
  }
}

/**
 * The operations for the attributes of an entry. `shown` has their values before.
 * @throws TypeError for values that a device cannot write
 */
export function buildPatch(plan: Plan, shape: ShapePlan, data: object, shown: Values): EntryPatch {
  const entries = Object.entries(data).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([name, value]: [string, unknown]) => {
      const link = shape.links[name]
      if (link !== undefined && 'to' in link) {
        return [name, toRelationOperation(name, link, value, shown[name])]
      }
      return [name, { set: toRowValue(plan, shape, name, value) }]
    }),
  )
}

/** @throws TypeError for the operation of an attribute that a device cannot write */
export function assertPatch(shape: ShapePlan, patch: EntryPatch): void {
  for (const name of Object.keys(patch)) {
    const link = shape.links[name]
    if (link !== undefined && isInverse(link)) throw inverseSide(name)
  }
}

/** The documentIds that a patch refers to. */
export function referredBy(shape: ShapePlan, patch: EntryPatch): ReadonlySet<string> {
  const ids = Object.entries(patch).flatMap(([name, operation]): readonly string[] => {
    if ('connect' in operation) return (operation.connect ?? []).map(({ documentId }) => documentId)
    const link = shape.links[name]
    const isRelation = link !== undefined && 'to' in link
    return isRelation && 'set' in operation ? listDocumentIds(operation.set) : []
  })
  return new Set(ids)
}

function isInverse(link: Link): boolean {
  return 'localizations' in link || ('to' in link && link.by !== undefined)
}

function inverseSide(name: string): TypeError {
  return new TypeError(`${name}: change the entries at the other end of this relation`)
}

function toRelationOperation(
  name: string,
  link: Extract<Link, { readonly to: string }>,
  value: unknown,
  before: unknown,
): Operation {
  if (isInverse(link)) throw inverseSide(name)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { set: toReferences(name, link.many, value) }
  }
  const change: RelationChange = value
  if (change.set !== undefined) return { set: toReferences(name, link.many, change.set) }
  return link.many
    ? toListChange(change, listDocumentIds(before))
    : { set: toTarget(change, before ?? null) }
}

function toListChange({ connect = [], disconnect = [] }: RelationChange, list: readonly string[]) {
  return {
    connect: connect.map((one) => toConnection(connected(one), list)),
    disconnect: [...disconnect],
  }
}

function toTarget({ connect = [], disconnect = [] }: RelationChange, before: unknown): unknown {
  const last = connect.at(-1)
  if (last !== undefined) return connected(last).documentId
  return disconnect.some((id) => id === before) ? null : before
}

function connected(one: string | Connected): Connected {
  return typeof one === 'string' ? { documentId: one } : one
}

function toConnection({ documentId, position = {} }: Connected, list: readonly string[]) {
  const { start, before, after } = position
  if (start === true) return { documentId, after: null }
  if (after !== undefined) return { documentId, after }
  if (before === undefined) return { documentId }
  const others = list.filter((id) => id !== documentId)
  return { documentId, after: others[others.indexOf(before) - 1] ?? null }
}

/** @throws TypeError */
function toReferences(name: string, isMany: boolean, value: unknown): unknown {
  const ids = Array.isArray(value) ? (value as readonly unknown[]) : [value]
  const isValid = ids.every((id) => typeof id === 'string' || (id === null && !isMany))
  if (value === null && isMany) return []
  if (!isValid || (!isMany && ids.length > 1)) {
    throw new TypeError(`${name}: expected ${isMany ? 'documentIds' : 'a documentId or null'}`)
  }
  return isMany ? ids : (ids[0] ?? null)
}

/** The value in the shape of rows. */
function toRowValue(plan: Plan, shape: ShapePlan, name: string, value: unknown): unknown {
  if (value === null) return null
  const link = shape.links[name]
  if (link === undefined) {
    return shape.kinds[name] === 'bigint' ? toText(value) : toJson(value)
  }
  if ('localizations' in link) throw inverseSide(name)
  if ('to' in link) return toReferences(name, link.many, value)
  if (!Array.isArray(value)) return toRowElement(plan, link, value)
  return value.map((element: unknown) => toRowElement(plan, link, element))
}

function toRowElement(
  plan: Plan,
  link: Exclude<Link, { readonly to: string } | { readonly localizations: true }>,
  element: unknown,
): unknown {
  const values = element as Values
  const uid = 'zone' in link ? String(values['__component']) : link.component
  const shape = plan.components[uid]
  if (shape === undefined) throw new TypeError(`${uid}: no such component`)
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, toRowValue(plan, shape, name, value)]),
  )
}

function toText(value: unknown): string {
  return typeof value === 'bigint' || typeof value === 'number'
    ? value.toString()
    : (value as string)
}

/** As the server stores it, so that the values compare equal. */
export function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown
}
