import type { Document } from 'mongodb'
import type { Data } from '../../schema/definition.ts'
import type {
  AttributePlan,
  ComponentAttributePlan,
  RelationPlan,
  ScalarPlan,
  ShapePlan,
} from '../../schema/plan.ts'
import { significantDigits } from '../../schema/values/decimal.ts'
import { referenceKind } from '../versions/adopted-expression.ts'
import { areStoredAlike } from '../versions/stored-content.ts'
import { toBson } from '../versions/stored-value.ts'
import {
  copyForeign,
  foreignIdText,
  isNumberType,
  isPlainObject,
  textOf,
  toForeign,
  toForeignId,
} from './foreign-value.ts'

export interface MemberChange {
  /** Members and places of lists. */
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** An attribute of a document: as it is stored, as reads show it, and as it becomes. */
export interface ChangedMember {
  readonly path: MemberChange['path']
  readonly stored: unknown
  readonly shown: unknown
  readonly value: unknown
}

/** Empty if the document has the value already. Values of stored elements and members that are not declared remain. */
export function memberChanges(
  attribute: AttributePlan,
  member: ChangedMember,
): readonly MemberChange[] {
  const { path, stored, shown, value } = member
  if (isAlike(attribute, shown, value)) return []
  switch (attribute.kind) {
    case 'scalar':
      return [{ path, value: toForeign(attribute.type, stored, value) }]
    case 'relation':
      return [{ path, value: referencesOf(attribute, stored, value) }]
    case 'component':
      return attribute.repeatable
        ? listChanges(attribute, member)
        : componentChanges(attribute.component(), member)
    case 'media':
    case 'dynamiczone':
      return [] // refused by the check of declarations
  }
}

/** Applies changes to a copy of a document that is stored, or to a new one. */
export function applyChanges(stored: Document, changes: readonly MemberChange[]): Document {
  const copy = copyForeign(stored) as Document // a document stays a document
  for (const { path, value } of changes) assignMember(copy, path, value)
  return copy
}

export function assignMember(holder: Document, path: MemberChange['path'], value: unknown): void {
  let inner = holder
  for (const step of path.slice(0, -1)) {
    const next: unknown = inner[step]
    if (typeof next !== 'object' || next === null) inner[step] = {}
    inner = inner[step] as Document
  }
  inner[path.at(-1) ?? ''] = value
}

function componentChanges(shape: ShapePlan, member: ChangedMember): readonly MemberChange[] {
  const { path, stored, shown, value } = member
  if (value === null || value === undefined) return [{ path, value: null }]
  if (isPlainObject(stored)) return changesWithin(shape, { ...member, stored, shown, value }, path)
  return [{ path, value: elementOf(shape, {}, {}, value) }]
}

function changesWithin(
  shape: ShapePlan,
  { stored, shown, value }: Pick<ChangedMember, 'stored' | 'shown' | 'value'>,
  path: MemberChange['path'],
): readonly MemberChange[] {
  return [...shape.attributes.values()].flatMap((attribute) => {
    const { name } = attribute
    return memberChanges(attribute, {
      path: [...path, name],
      stored: ownMember(stored, name),
      shown: ownMember(shown, name),
      value: ownMember(value, name),
    })
  })
}

export function ownMember(holder: unknown, name: string): unknown {
  const isOwn = typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
  return isOwn ? (holder as Data)[name] : undefined
}

function elementOf(shape: ShapePlan, stored: Document, shown: unknown, value: unknown): Document {
  return applyChanges(stored, changesWithin(shape, { stored, shown, value }, []))
}

/** The id of an element is its place among the documents of the list. */
function listChanges(
  attribute: ComponentAttributePlan,
  { path, stored, shown, value }: ChangedMember,
): readonly MemberChange[] {
  const shape = attribute.component()
  const list: readonly unknown[] = Array.isArray(stored) ? stored : []
  const places = [...list.keys()].filter((place) => isPlainObject(list[place]))
  const before = listOf(shown)
  const after = listOf(value)
  const isSameOrder =
    Array.isArray(stored) &&
    after.length === places.length &&
    after.every((element, index) => idOf(element) === index + 1)
  if (isSameOrder) {
    return places.flatMap((place, index) => {
      const inner = { stored: list[place], shown: before[index], value: after[index] }
      return changesWithin(shape, inner, [...path, place])
    })
  }
  const sources = sourcesOf(attribute, before, after)
  const elements = after.map((element, index) => {
    const source = sources[index] ?? null
    if (source === null) return elementOf(shape, {}, {}, element)
    const place = places[source] ?? -1
    return elementOf(shape, list[place] as Document, before[source], element)
  })
  return [{ path, value: withOthers(elements, list, isPlainObject) }]
}

/** The stored element of each element: the one with its id, or an equal one that no other element has. */
function sourcesOf(
  attribute: ComponentAttributePlan,
  before: readonly unknown[],
  after: readonly unknown[],
): readonly (number | null)[] {
  const named = after.map((element) => idOf(element) - 1)
  const free = new Set(before.keys())
  for (const place of named) free.delete(place)
  const takeEqual = equalPlaces(attribute.component(), before, free)
  return named.map((place, index) =>
    place >= 0 && place < before.length ? place : (takeEqual(after[index]) ?? null),
  )
}

/** Comparisons per list. Lists of up to 1,000 elements need fewer, and longer ones are mostly in order. */
const MAX_COMPARISONS = 1_000_000

/** Takes the first free place with an equal element. */
export function equalPlaces(
  shape: ShapePlan,
  before: readonly unknown[],
  free: Set<number>,
): (element: unknown) => number | undefined {
  let left = MAX_COMPARISONS
  return (element) => {
    for (const place of free) {
      if (left-- <= 0) return undefined
      if (!areMembersAlike(shape, before[place], element)) continue
      free.delete(place)
      return place
    }
    return undefined
  }
}

/** Elements that reads leave out stay at their places. */
function withOthers(
  elements: readonly unknown[],
  list: readonly unknown[],
  isShown: (element: unknown) => boolean,
): readonly unknown[] {
  const all = [...elements]
  for (const [place, other] of list.entries()) {
    if (!isShown(other)) all.splice(Math.min(place, all.length), 0, other)
  }
  return all
}

function referencesOf(relation: RelationPlan, stored: unknown, value: unknown): unknown {
  const kind = referenceKind(relation)
  if (!relation.toMany) {
    return typeof value === 'string' ? toForeignId(kind, stored, value) : null
  }
  const list: readonly unknown[] = Array.isArray(stored) ? stored : []
  const known = new Map(list.map((one) => [foreignIdText(kind, one), one] as const))
  const ids = listOf(value) as readonly string[]
  const references = ids.map((id) => known.get(id) ?? toForeignId(kind, list[0], id))
  return withOthers(references, list, (one) => foreignIdText(kind, one) !== null)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** 0 for a new element. */
function idOf(element: unknown): number {
  return Number(ownMember(element, 'id') ?? 0)
}

function isAlike(attribute: AttributePlan, shown: unknown, value: unknown): boolean {
  if (attribute.kind === 'component') return isComponentAlike(attribute, shown, value)
  if (attribute.kind === 'scalar') return isScalarAlike(attribute, shown ?? null, value ?? null)
  const isMany = attribute.kind === 'relation' && attribute.toMany
  const unset = isMany ? [] : null
  return areStoredAlike({ v: shown ?? unset }, { v: value ?? unset })
}

function isScalarAlike({ type }: ScalarPlan, shown: unknown, value: unknown): boolean {
  if (shown === null || value === null) return shown === value
  if (isNumberType(type)) {
    return significantDigits(textOf(shown)) === significantDigits(textOf(value))
  }
  return areStoredAlike({ v: shown }, { v: toBson(value) })
}

function isComponentAlike(
  attribute: ComponentAttributePlan,
  shown: unknown,
  value: unknown,
): boolean {
  const shape = attribute.component()
  if (!attribute.repeatable) {
    const isAbsent = (one: unknown): boolean => one === null || one === undefined
    if (isAbsent(shown) || isAbsent(value)) return isAbsent(shown) && isAbsent(value)
    return areMembersAlike(shape, shown, value)
  }
  const [before, after] = [listOf(shown), listOf(value)]
  return (
    before.length === after.length &&
    after.every((element, index) => {
      const isInPlace = idOf(element) === 0 || idOf(element) === index + 1
      return isInPlace && areMembersAlike(shape, before[index], element)
    })
  )
}

function areMembersAlike(shape: ShapePlan, shown: unknown, value: unknown): boolean {
  return [...shape.attributes.values()].every((attribute) =>
    isAlike(attribute, ownMember(shown, attribute.name), ownMember(value, attribute.name)),
  )
}
