import {
  type Attribute,
  type Attributes,
  type Components,
  isComponentList,
} from '../api/attributes.ts'
import { movedLinks } from './link-moves.ts'
import { isSameValue } from './same-value.ts'
import { type ComponentValue, componentUid, type Links, type FormValues } from './values.ts'

export interface Conflict {
  readonly address: readonly string[]
  readonly mine: unknown
  readonly theirs: unknown
}

export interface Merged {
  /** The merged values; conflicting attributes have mine. */
  readonly values: FormValues
  readonly conflicts: readonly Conflict[]
}

interface Sides<Value> {
  readonly base: Value
  readonly mine: Value
  readonly theirs: Value
}

/**
 * Three-way merge of an entry, attribute by attribute. A change on one side wins; different changes
 * on both sides are a conflict. Components are merged individually, unless both sides added, moved
 * or removed some.
 */
export function mergeEntries(
  attributes: Attributes,
  sides: Sides<FormValues>,
  components: Components,
  address: readonly string[] = [],
): Merged {
  const conflicts: Conflict[] = []
  const values: Record<string, unknown> = { ...sides.mine }
  for (const [name, attribute] of Object.entries(attributes)) {
    const at = [...address, name]
    const of = { base: sides.base[name], mine: sides.mine[name], theirs: sides.theirs[name] }
    const merged = mergeValue(attribute, of, components, at)
    values[name] = merged.value
    conflicts.push(...merged.conflicts)
  }
  return { values, conflicts }
}

interface MergedValue {
  readonly value: unknown
  readonly conflicts: readonly Conflict[]
}

function mergeValue(
  attribute: Attribute,
  sides: Sides<unknown>,
  components: Components,
  address: readonly string[],
): MergedValue {
  const { base, mine, theirs } = sides
  const isSame = (one: unknown, other: unknown): boolean =>
    isSameValue(attribute, one, other, components)
  if (isSame(mine, base) || isSame(mine, theirs)) return { value: theirs, conflicts: [] }
  if (isSame(theirs, base)) return { value: mine, conflicts: [] }
  if (attribute.type === 'relation' && (mine as Links | null)?.more === true) {
    return { value: movedOnto(theirs as Links, mine as Links), conflicts: [] }
  }
  return (
    mergeWithin(attribute, sides, components, address) ?? {
      value: mine,
      conflicts: [{ address, mine, theirs }],
    }
  )
}

function mergeWithin(
  attribute: Attribute,
  { base, mine, theirs }: Sides<unknown>,
  components: Components,
  address: readonly string[],
): MergedValue | null {
  if (isComponentList(attribute)) {
    const lists = { base, mine, theirs } as Sides<readonly ComponentValue[]>
    return mergeLists(attribute, lists, components, address)
  }
  if (attribute.type !== 'component') return null
  const elements = { base, mine, theirs } as Sides<ComponentValue | null>
  return mergeComponent(attribute, elements, components, address)
}

/** Applies my moves in a long relation to the server's version of it. */
function movedOnto(theirs: Links, { moves = [] }: Links): Links {
  if (theirs.more) return { ...theirs, moves }
  const { items, end } = movedLinks(theirs.items, moves)
  const placed = new Set([...items, ...end].map(({ documentId }) => documentId))
  // Moves whose anchor entry was removed.
  const left = moves.filter(({ link, to }) => to !== null && !placed.has(link.documentId))
  return { items: [...items, ...end, ...left.map(({ link }) => link)], more: false }
}

function mergeComponent(
  attribute: Attribute,
  { base, mine, theirs }: Sides<ComponentValue | null | undefined>,
  components: Components,
  address: readonly string[],
): MergedValue | null {
  if (!base || !mine || !theirs) return null
  if (base.$key !== mine.$key || base.$key !== theirs.$key) return null
  const declared = components.get(componentUid(attribute, base))?.attributes ?? {}
  const { values, conflicts } = mergeEntries(declared, { base, mine, theirs }, components, address)
  return { value: values, conflicts }
}

function mergeLists(
  attribute: Attribute,
  { base, mine, theirs }: Sides<readonly ComponentValue[]>,
  components: Components,
  address: readonly string[],
): MergedValue | null {
  const order = mergedOrder(base, mine, theirs)
  if (order === null) return null
  const conflicts: Conflict[] = []
  const value: unknown[] = []
  for (const key of order) {
    const sides = { base: byKey(base, key), mine: byKey(mine, key), theirs: byKey(theirs, key) }
    const merged = mergeComponent(attribute, sides, components, [...address, key])
    value.push(merged?.value ?? sides.mine ?? sides.theirs)
    conflicts.push(...(merged?.conflicts ?? []))
  }
  const isLost = (changed: readonly ComponentValue[]): boolean =>
    changed.some((element) => {
      const before = byKey(base, element.$key)
      if (before === undefined || order.includes(element.$key)) return false
      return !isSameValue(attribute, [before], [element], components)
    })
  return isLost(mine) || isLost(theirs) ? null : { value, conflicts }
}

/** The order of the side that changed it; null if both sides changed it differently. */
function mergedOrder(
  base: readonly ComponentValue[],
  mine: readonly ComponentValue[],
  theirs: readonly ComponentValue[],
): readonly string[] | null {
  const keys = (list: readonly ComponentValue[]): readonly string[] => list.map(({ $key }) => $key)
  const isSame = (one: readonly string[], other: readonly string[]): boolean =>
    one.length === other.length && one.every((key, index) => key === other[index])
  if (isSame(keys(mine), keys(base)) || isSame(keys(mine), keys(theirs))) return keys(theirs)
  return isSame(keys(theirs), keys(base)) ? keys(mine) : null
}

function byKey(list: readonly ComponentValue[], key: string): ComponentValue | undefined {
  return list.find(({ $key }) => $key === key)
}
