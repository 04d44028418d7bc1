import {
  type MemberRules,
  type MergeConflict,
  type MergedValues,
  mergeMembers,
  type Sides,
} from '@quire/merge/merge-members'
import {
  type Attribute,
  type Attributes,
  type Components,
  isComponentList,
} from '../api/attributes.ts'
import { serializeAddress, valueAt } from './address.ts'
import { isDeepEqual } from './deep-equal.ts'
import { movedLinks } from './link-moves.ts'
import { isSameValue } from './same-value.ts'
import { type ComponentValue, componentUid, type Links, type FormValues } from './values.ts'

/** The author of the last write of the other version. */
export interface ConflictAuthor {
  readonly kind: string
  /** Null for authors without an id, such as the root token. */
  readonly id: string | number | null
  /** Null for removed authors. End users have one only with the permission to find them. */
  readonly name: string | null
  readonly at: string
}

export interface Conflict extends MergeConflict {
  /** Undefined until it is known. Null if a later write has hidden the author. */
  readonly by?: ConflictAuthor | null
}

/** Three-way merge of the values of a form. See `mergeMembers`. */
export function mergeEntries(
  attributes: Attributes,
  sides: Sides<FormValues>,
  components: Components,
): MergedValues {
  return mergeMembers(rulesOf(attributes, components), sides)
}

export interface MergedForm {
  readonly values: FormValues
  readonly conflicts: readonly Conflict[]
}

/**
 * Merges the values of a form whose conflicts are undecided. They stay open: the merge does not
 * find them again, because its base has the values of others.
 */
export function mergeForm(
  attributes: Attributes,
  sides: Sides<FormValues>,
  components: Components,
  undecided: readonly Conflict[],
): MergedForm {
  const { values, conflicts } = mergeEntries(attributes, sides, components)
  const found = new Set(conflicts.map(({ address }) => serializeAddress(address)))
  const open = undecided.flatMap((conflict) => {
    const theirs = valueAt(sides.theirs, conflict.address)
    const isSettled = theirs === undefined || isDeepEqual(theirs, valueAt(values, conflict.address))
    return isSettled || found.has(serializeAddress(conflict.address))
      ? []
      : [{ ...conflict, theirs }]
  })
  return { values, conflicts: [...conflicts, ...open] }
}

function rulesOf(
  attributes: Attributes,
  components: Components,
): Readonly<Record<string, MemberRules>> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => [name, ruleOf(attribute, components)]),
  )
}

function ruleOf(attribute: Attribute, components: Components): MemberRules {
  const isSame = (one: unknown, other: unknown): boolean =>
    isSameValue(attribute, one, other, components)
  if (attribute.type === 'relation') return { isSame, combine: applyMoves }
  if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return { isSame }
  const elements = {
    isList: isComponentList(attribute),
    keyOf: (element: FormValues) => (element as ComponentValue).$key,
    membersOf: (element: FormValues) => {
      const uid = componentUid(attribute, element)
      return rulesOf(components.get(uid)?.attributes ?? {}, components)
    },
  }
  return { isSame, elements }
}

function applyMoves({ mine, theirs }: Sides<unknown>): { readonly value: Links } | null {
  const ours = mine as Links | null
  return ours?.more === true ? { value: movedOnto(theirs as Links, ours) } : null
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
