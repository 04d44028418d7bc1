import type { Document } from 'mongodb'
import { isRecord } from '../../base/is-record.ts'
import type { Data } from '../../schema/definition.ts'
import {
  type AttributePlan,
  componentOf,
  type ContentTypePlan,
  isNesting,
  type ShapePlan,
} from '../../schema/plan.ts'
import { entryLinksIn, type PlacedLink } from '../../schema/values/entry-links.ts'

/** No attribute has a name that begins with it. */
const PREFIX = '_links:'

/** The member of a row that lists the targets of the links in the blocks of an attribute. */
export function linkIndexName({ storedName }: Pick<AttributePlan, 'storedName'>): string {
  return `${PREFIX}${storedName}`
}

export function isLinkIndex(name: string): boolean {
  return name.startsWith(PREFIX)
}

/** A target in the index. The uid is the one that the link names. */
export function linkKey(uid: string, documentId: string): string {
  return `${uid} ${documentId}`
}

const holders = new WeakMap<ContentTypePlan, readonly AttributePlan[]>()

/** The attributes of a type that hold blocks, themselves or in components. */
export function linkHoldersOf(plan: ContentTypePlan): readonly AttributePlan[] {
  const known = holders.get(plan)
  if (known !== undefined) return known
  const found = [...plan.attributes.values()].filter((one) => holdsBlocks(one, new Set()))
  holders.set(plan, found)
  return found
}

function holdsBlocks(attribute: AttributePlan, seen: ReadonlySet<ShapePlan>): boolean {
  if (attribute.kind === 'scalar') return attribute.type === 'blocks'
  if (!isNesting(attribute)) return false
  const shapes =
    attribute.kind === 'component' ? [attribute.component()] : [...attribute.components().values()]
  return shapes.some(
    (shape) =>
      !seen.has(shape) &&
      [...shape.attributes.values()].some((one) => holdsBlocks(one, new Set([...seen, shape]))),
  )
}

/** The index members for the attributes in `values`, which have the names of their attributes. Null without links. */
export function linkIndexOf(plan: ContentTypePlan, values: Data): Document {
  const given = linkHoldersOf(plan).filter(({ name }) => values[name] !== undefined)
  return Object.fromEntries(
    given.map((attribute) => {
      const links = linksOf(attribute, values[attribute.name])
      const keys = new Set(links.map(({ type, documentId }) => linkKey(type, documentId)))
      return [linkIndexName(attribute), keys.size === 0 ? null : [...keys]]
    }),
  )
}

/** The links in the blocks of a value, also in its components. */
export function linksOf(
  attribute: AttributePlan,
  value: unknown,
  path: PlacedLink['path'] = [attribute.name],
): readonly PlacedLink[] {
  if (attribute.kind === 'scalar') {
    return attribute.type === 'blocks' ? entryLinksIn(value, path) : []
  }
  if (!isNesting(attribute)) return []
  const elements = Array.isArray(value)
    ? (value as readonly unknown[]).map((element, index) => [element, [...path, index]] as const)
    : [[value, path] as const]
  return elements.flatMap(([element, at]) => {
    const shape = isRecord(element) ? componentOf(attribute, element) : undefined
    if (!isRecord(element) || shape === undefined) return []
    return [...shape.attributes.values()].flatMap((one) =>
      linksOf(one, element[one.name], [...at, one.name]),
    )
  })
}

type MapBlocks = (nodes: readonly unknown[]) => readonly unknown[]

const MAX_DEPTH = 30

/** Replaces the blocks of a value, also in its components. The value may be invalid. */
export function mapBlocks(
  attribute: AttributePlan,
  value: unknown,
  map: MapBlocks,
  depth = MAX_DEPTH,
): unknown {
  if (attribute.kind === 'scalar') {
    return attribute.type === 'blocks' && Array.isArray(value) ? map(value) : value
  }
  if (!isNesting(attribute) || depth === 0) return value
  const one = (element: unknown): unknown => {
    const shape = isRecord(element) ? componentOf(attribute, element) : undefined
    if (!isRecord(element) || shape === undefined) return element
    const given = [...shape.attributes.values()].filter(({ name }) => element[name] !== undefined)
    const mapped = given.map((own) => [own.name, mapBlocks(own, element[own.name], map, depth - 1)])
    return { ...element, ...Object.fromEntries(mapped) }
  }
  return Array.isArray(value) ? (value as readonly unknown[]).map(one) : one(value)
}
