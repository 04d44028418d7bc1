import { isDeepEqual } from './is-deep-equal.ts'
import { mergeText } from './merge-text.ts'

/** The result if both sides changed an attribute differently: a conflict, one of the sides, or both of them. */
export type ConflictPolicy = 'ask' | 'server' | 'client' | 'union' | 'text'

export interface Sides<Value> {
  readonly base: Value
  readonly mine: Value
  readonly theirs: Value
}

export type MemberValues = Readonly<Record<string, unknown>>

/** How an attribute is merged. */
export interface MemberRules {
  /** Without a policy, a member of a component has the policy of the component, and others have `ask`. */
  readonly policy?: ConflictPolicy
  /** Compares values by `isDeepEqual` if absent. */
  readonly isSame?: (one: unknown, other: unknown) => boolean
  /** Merges different changes of both sides before the policy does. Null if it cannot. */
  readonly combine?: (sides: Sides<unknown>) => { readonly value: unknown } | null
  /** For components and dynamic zones. */
  readonly elements?: ElementRules
}

export interface ElementRules {
  readonly isList: boolean
  /** Null for an element that is new. */
  readonly keyOf: (element: MemberValues) => string | null
  readonly membersOf: (element: MemberValues) => Readonly<Record<string, MemberRules>>
}

export interface MergeConflict {
  readonly address: readonly string[]
  readonly mine: unknown
  readonly theirs: unknown
}

export interface MergedValues {
  /** The merged values; conflicting attributes have mine. */
  readonly values: MemberValues
  readonly conflicts: readonly MergeConflict[]
}

/**
 * Three-way merge of an entry, attribute by attribute. A change on one side wins; different changes
 * on both sides are merged by the policy of the attribute. Components are merged individually, unless
 * both sides added, moved or removed some.
 */
export function mergeMembers(
  members: Readonly<Record<string, MemberRules>>,
  sides: Sides<MemberValues>,
  address: readonly string[] = [],
  inherited: ConflictPolicy = 'ask',
): MergedValues {
  const conflicts: MergeConflict[] = []
  const values: Record<string, unknown> = { ...sides.mine }
  for (const [name, rules] of Object.entries(members)) {
    const { policy = inherited } = rules
    const of = { base: sides.base[name], mine: sides.mine[name], theirs: sides.theirs[name] }
    const merged = mergeMember({ ...rules, policy }, of, [...address, name])
    if (merged.value !== undefined || Object.hasOwn(values, name)) values[name] = merged.value
    conflicts.push(...merged.conflicts)
  }
  return { values, conflicts }
}

type PolicedRules = MemberRules & { readonly policy: ConflictPolicy }

interface MergedMember {
  readonly value: unknown
  readonly conflicts: readonly MergeConflict[]
}

function mergeMember(
  rules: PolicedRules,
  sides: Sides<unknown>,
  address: readonly string[],
): MergedMember {
  const { base, mine, theirs } = sides
  const { isSame = isDeepEqual, combine } = rules
  if (isSame(mine, base) || isSame(mine, theirs)) return { value: theirs, conflicts: [] }
  if (isSame(theirs, base)) return { value: mine, conflicts: [] }
  const combined = combine?.(sides) ?? null
  if (combined !== null) return { value: combined.value, conflicts: [] }
  return mergeWithin(rules, sides, address) ?? byPolicy(rules.policy, sides, address)
}

function byPolicy(
  policy: ConflictPolicy,
  { base, mine, theirs }: Sides<unknown>,
  address: readonly string[],
): MergedMember {
  if (policy === 'server') return { value: theirs, conflicts: [] }
  if (policy === 'client') return { value: mine, conflicts: [] }
  const joined = joinByPolicy(policy, { base, mine, theirs })
  return joined === null
    ? { value: mine, conflicts: [{ address, mine, theirs }] }
    : { value: joined, conflicts: [] }
}

function joinByPolicy(
  policy: ConflictPolicy,
  { base, mine, theirs }: Sides<unknown>,
): string | readonly string[] | null {
  if (policy === 'union' && isIdList(mine) && isIdList(theirs)) {
    return unionOf({ base: isIdList(base) ? base : [], mine, theirs })
  }
  const areTexts =
    typeof base === 'string' && typeof mine === 'string' && typeof theirs === 'string'
  return policy === 'text' && areTexts ? mergeText(base, mine, theirs) : null
}

function isIdList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** The additions and removals of both sides. Their order, with my additions behind the item before them. */
export function unionOf({ base, mine, theirs }: Sides<readonly string[]>): readonly string[] {
  const removed = new Set(base.filter((id) => !mine.includes(id)))
  const union = theirs.filter((id) => !removed.has(id))
  let after = 0
  for (const id of mine) {
    if (!union.includes(id) && !base.includes(id)) union.splice(after, 0, id)
    if (union.includes(id)) after = union.indexOf(id) + 1
  }
  return union
}

function mergeWithin(
  rules: PolicedRules,
  { base, mine, theirs }: Sides<unknown>,
  address: readonly string[],
): MergedMember | null {
  const { elements } = rules
  if (elements === undefined) return null
  if (!elements.isList) {
    if (!isElement(base) || !isElement(mine) || !isElement(theirs)) return null
    return mergeElement(elements, { base, mine, theirs }, address, rules.policy)
  }
  if (!isElementList(base) || !isElementList(mine) || !isElementList(theirs)) return null
  return mergeLists({ ...rules, elements }, { base, mine, theirs }, address)
}

function mergeElement(
  elements: ElementRules,
  sides: Sides<MemberValues>,
  address: readonly string[],
  policy: ConflictPolicy,
): MergedMember | null {
  const { base, mine, theirs } = sides
  const key = elements.keyOf(base)
  if (key === null || key !== elements.keyOf(mine) || key !== elements.keyOf(theirs)) return null
  const { values, conflicts } = mergeMembers(elements.membersOf(base), sides, address, policy)
  return { value: values, conflicts }
}

type Keyed = ReadonlyMap<string, MemberValues>

function mergeLists(
  rules: PolicedRules & { readonly elements: ElementRules },
  lists: Sides<readonly MemberValues[]>,
  address: readonly string[],
): MergedMember | null {
  const { elements, policy, isSame = isDeepEqual } = rules
  const base = keyed(elements, lists.base, 'base')
  const mine = keyed(elements, lists.mine, 'mine')
  const theirs = keyed(elements, lists.theirs, 'theirs')
  const keys = { base: [...base.keys()], mine: [...mine.keys()], theirs: [...theirs.keys()] }
  const order = mergedOrder(keys) ?? (policy === 'union' ? unionOf(keys) : null)
  if (order === null) return null
  const isLost = (changed: Keyed): boolean =>
    [...changed].some(
      ([key, element]) => !order.includes(key) && !isSame([base.get(key)], [element]),
    )
  if (isLost(mine) || isLost(theirs)) return null
  const conflicts: MergeConflict[] = []
  const value = order.map((key) => {
    const merged = mergeKeyed(
      elements,
      sidesOf(key, { base, mine, theirs }),
      [...address, key],
      policy,
    )
    conflicts.push(...(merged?.conflicts ?? []))
    return merged?.values ?? mine.get(key) ?? theirs.get(key)
  })
  return { value, conflicts }
}

function sidesOf(
  key: string,
  { base, mine, theirs }: Sides<Keyed>,
): Sides<MemberValues | undefined> {
  return { base: base.get(key), mine: mine.get(key), theirs: theirs.get(key) }
}

/** Null for an element that one side lacks. If only the base lacks it, every difference is a conflict. */
function mergeKeyed(
  { membersOf }: ElementRules,
  { base = {}, mine, theirs }: Sides<MemberValues | undefined>,
  address: readonly string[],
  policy: ConflictPolicy,
): MergedValues | null {
  if (mine === undefined || theirs === undefined) return null
  return mergeMembers(membersOf(mine), { base, mine, theirs }, address, policy)
}

/** New elements of the sides are different. */
function keyed({ keyOf }: ElementRules, list: readonly MemberValues[], side: string): Keyed {
  return new Map(list.map((element, index) => [keyOf(element) ?? `${side} ${index}`, element]))
}

/** The order of the side that changed it; null if both sides changed it differently. */
function mergedOrder({ base, mine, theirs }: Sides<readonly string[]>): readonly string[] | null {
  const isSame = (one: readonly string[], other: readonly string[]): boolean =>
    one.length === other.length && one.every((key, index) => key === other[index])
  if (isSame(mine, base) || isSame(mine, theirs)) return theirs
  return isSame(theirs, base) ? mine : null
}

function isElement(value: unknown): value is MemberValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isElementList(value: unknown): value is readonly MemberValues[] {
  return Array.isArray(value) && value.every(isElement)
}
