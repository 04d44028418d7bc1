import { ApplicationError } from '../../base/errors.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import {
  type AttributePlan,
  componentOf,
  type ComponentPlan,
  isNesting,
  type NestingPlan,
  type RelationPlan,
  type ShapePlan,
} from '../../schema/plan.ts'
import { unsetValue } from '../../mongo/versions/stored-content.ts'
import { assertGiven, changedReferences } from './relation-change.ts'
import { attributePath, readRelationChange } from './read-relation-change.ts'
import type { DocumentChanges, RelationInput } from './relation-input.ts'

export interface MergeOptions {
  /** Called exactly as often as `countNewComponents` predicts. */
  readonly newId: (componentUid: Uid) => number
  readonly changes: DocumentChanges
  readonly isDraft: boolean
}

interface Element {
  readonly component: ComponentPlan
  readonly data: Data
  readonly path: readonly string[]
}

export function collectRelationChanges(
  holder: ShapePlan,
  data: Data,
  path: readonly string[] = [],
): readonly RelationInput[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const attribute = holder.attributes.get(name)
    if (attribute === undefined || value === undefined) return []
    const at = [...path, name]
    if (attribute.kind === 'relation' || attribute.kind === 'media') {
      const change = readRelationChange(at, value)
      return change === null ? [] : [{ path: at, attribute, change }]
    }
    return elementsOf(attribute, value, at).flatMap(({ component, data, path }) =>
      collectRelationChanges(component, data, path),
    )
  })
}

/** Without `stored`, sent ids are ignored. @throws ApplicationError for an unknown id, ValidationError */
export function mergeComponents(
  holder: ShapePlan,
  stored: Data | null,
  sent: Data,
  options: MergeOptions,
): Data {
  const merged: Data = {}
  for (const attribute of holder.attributes.values()) {
    const { name } = attribute
    if (!isNesting(attribute) || sent[name] === undefined) continue
    merged[name] = mergeNested(attribute, { stored, sent, path: [name] }, options)
  }
  return merged
}

export function countNewComponents(
  holder: ShapePlan,
  sent: Data,
  { creating }: { readonly creating: boolean },
): ReadonlyMap<Uid, number> {
  const counts = new Map<Uid, number>()
  for (const uid of newComponents(holder, sent, creating)) {
    counts.set(uid, (counts.get(uid) ?? 0) + 1)
  }
  return counts
}

function newComponents(holder: ShapePlan, sent: Data, isNew: boolean): readonly Uid[] {
  return [...holder.attributes.values()].filter(isNesting).flatMap((attribute) =>
    keptElements(attribute, sent[attribute.name], [], isNew).flatMap((element) => {
      const within = newComponents(element.component, element.data, isNew || !hasId(element))
      return isNew || !hasId(element) ? [element.component.storedUid, ...within] : within
    }),
  )
}

export interface StoredRelation {
  readonly relation: RelationPlan
  /** As in the keys of `DocumentChanges`. */
  readonly path: string
  /** As in the component that the sent one changes or replaces. */
  readonly stored: unknown
  /** The sent component has no id, so the stored one is removed. */
  readonly isReplaced: boolean
}

/** The relations of sent components. In a list, components without an id are additions and replace none. */
export function relationsOfStored(
  holder: ShapePlan,
  stored: Data,
  sent: Data,
  { path, isReplaced }: Pick<Element, 'path'> & Pick<StoredRelation, 'isReplaced'> = AT_ROOT,
): readonly StoredRelation[] {
  return [...holder.attributes.values()].filter(isNesting).flatMap((attribute) => {
    const { name } = attribute
    const known = storedElements(attribute, stored[name])
    const [only] = isList(attribute) ? [] : known.values()
    return elementsOf(attribute, sent[name], [...path, name]).flatMap((element) => {
      const before = hasId(element) ? known.get(keyOf(element)) : only
      if (before === undefined) return []
      const within = { path: element.path, isReplaced: isReplaced || !hasId(element) }
      const nested = relationsOfStored(element.component, before, element.data, within)
      return [...relationsWithin(element, before, within.isReplaced), ...nested]
    })
  })
}

const AT_ROOT = { path: [], isReplaced: false }

function relationsWithin(
  { component, path }: Element,
  stored: Data,
  isReplaced: boolean,
): readonly StoredRelation[] {
  return [...component.attributes.values()].flatMap((relation) =>
    relation.kind === 'relation'
      ? [
          {
            relation,
            path: [...path, relation.name].join('.'),
            stored: stored[relation.name],
            isReplaced,
          },
        ]
      : [],
  )
}

interface Merge {
  readonly stored: Data | null
  readonly sent: Data
  readonly path: readonly string[]
}

function mergeNested(attribute: NestingPlan, merge: Merge, options: MergeOptions): unknown {
  const { stored, sent, path } = merge
  const elements = keptElements(attribute, sent[attribute.name], path, stored === null)
  const known = stored === null ? null : storedElements(attribute, stored[attribute.name])
  const values = elements.map((element) => {
    const before = known === null || !hasId(element) ? null : related(known, element, path)
    const value = toElement(element, before, options)
    return attribute.kind === 'dynamiczone'
      ? { ...value, __component: element.component.uid }
      : value
  })
  return isList(attribute) ? values : (values[0] ?? null)
}

function storedElements(attribute: NestingPlan, value: unknown): ReadonlyMap<string, Data> {
  const elements = elementsOf(attribute, value, []).filter(hasId)
  return new Map(elements.map((element) => [keyOf(element), element.data]))
}

function related(
  known: ReadonlyMap<string, Data>,
  element: Element,
  path: readonly string[],
): Data {
  const stored = known.get(keyOf(element))
  if (stored !== undefined) return stored
  const at = attributePath(path).join('.')
  throw new ApplicationError(
    `Some of the provided components in ${at} are not related to the entity`,
    {},
    { code: 'unknown_component' },
  )
}

function toElement(element: Element, stored: Data | null, options: MergeOptions): Data {
  const { component, data: sent, path } = element
  const value: Data = { id: stored?.['id'] ?? options.newId(component.storedUid) }
  for (const attribute of component.attributes.values()) {
    const { name } = attribute
    const merge = { stored, sent, path: [...path, name] }
    value[name] = toValue(attribute, merge, options)
  }
  return value
}

function toValue(attribute: AttributePlan, merge: Merge, options: MergeOptions): unknown {
  const { stored, sent, path } = merge
  const before = stored?.[attribute.name] ?? unsetValue(attribute)
  if (attribute.kind === 'relation' || attribute.kind === 'media') {
    const change = options.changes.get(path.join('.'))
    const references = changedReferences(attribute, before, change)
    if (!options.isDraft && (change !== undefined || stored === null)) {
      assertGiven(attribute, references, path)
    }
    return references
  }
  if (sent[attribute.name] === undefined) return before
  return isNesting(attribute) ? mergeNested(attribute, merge, options) : sent[attribute.name]
}

/** If several elements name one stored component, the last one wins. */
function keptElements(
  attribute: NestingPlan,
  value: unknown,
  path: readonly string[],
  isNew: boolean,
): readonly Element[] {
  const elements = elementsOf(attribute, value, path)
  if (isNew) return elements
  const last = new Map(elements.map((element) => [keyOf(element), element]))
  return elements.filter((element) => !hasId(element) || last.get(keyOf(element)) === element)
}

function elementsOf(
  attribute: AttributePlan,
  value: unknown,
  path: readonly string[],
): readonly Element[] {
  if (!isNesting(attribute)) return []
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.flatMap((one, index) => {
    if (typeof one !== 'object' || one === null) return []
    const data = one as Data
    const component = componentOf(attribute, data)
    const at = Array.isArray(value) ? [...path, String(index)] : path
    return component === undefined ? [] : [{ component, data, path: at }]
  })
}

function hasId({ data: { id = null } }: Element): boolean {
  return id !== null
}

/** Ids are unique per component uid. A text of digits equals the number; other values have no match. */
function keyOf({ component, data: { id } }: Element): string {
  const isNamed = typeof id === 'number' || (typeof id === 'string' && /^\d+$/.test(id))
  return `${component.uid} ${isNamed ? Number(id) : 'none'}`
}

export function isList(attribute: NestingPlan): boolean {
  return attribute.kind === 'dynamiczone' || attribute.repeatable
}
