import type { Document } from 'mongodb'
import type { Data } from '../../schema/definition.ts'
import {
  type AttributePlan,
  type ComponentPlan,
  type DynamicZonePlan,
  isNesting,
  type NestingPlan,
  type ShapePlan,
} from '../../schema/plan.ts'
import { currentAttributeName } from '../../schema/stored-path.ts'

/** Marks stored members of no attribute that have the name of one. Attribute names never begin with it. */
const HIDDEN = '~'

/** Renames stored members to their attributes. Returns the row itself for a type without renamed attributes. */
export function toAttributeNames(plan: ShapePlan, row: Document): Data {
  if (!plan.isRenamed()) return row
  const values: Data = {}
  for (const [stored, value] of Object.entries(row) as [string, unknown][]) {
    const attribute = plan.stored.get(stored)
    if (attribute !== undefined) values[attribute.name] = renamed(attribute, value, FROM_ROWS)
    else values[plan.attributes.has(stored) ? HIDDEN + stored : stored] = value
  }
  return values
}

export function toStoredNames(plan: ShapePlan, values: Data): Document {
  if (!plan.isRenamed()) return values
  const row: Document = {}
  for (const [name, value] of Object.entries(values)) {
    const attribute = plan.attributes.get(name)
    if (attribute !== undefined) row[attribute.storedName] = renamed(attribute, value, TO_ROWS)
    else {
      const stored = name.startsWith(HIDDEN) ? name.slice(HIDDEN.length) : name
      if (!plan.stored.has(stored)) row[stored] = value // an attribute may have got this place since
    }
  }
  return row
}

/** Renames members that have an older name of an attribute. */
export function toCurrentNames(plan: ShapePlan, values: Data): Data {
  const current: Data = {}
  for (const [name, value] of Object.entries(values)) {
    const attribute = plan.attributes.get(currentAttributeName(plan, name) ?? name)
    if (name.startsWith(HIDDEN)) continue
    if (attribute === undefined) current[name] = value
    else current[attribute.name] = renamed(attribute, value, TO_CURRENT)
  }
  return current
}

interface Direction {
  readonly rename: (plan: ShapePlan, values: Data) => Data
  readonly isNamed: (component: ComponentPlan, uid: string) => boolean
  /** The uid of the renamed element of a dynamic zone. */
  readonly uidOf: (component: ComponentPlan) => string
}

const FROM_ROWS: Direction = {
  rename: toAttributeNames,
  isNamed: ({ storedUid }, uid) => storedUid === uid,
  uidOf: ({ uid }) => uid,
}

const TO_ROWS: Direction = {
  rename: toStoredNames,
  isNamed: ({ uid: own }, uid) => own === uid,
  uidOf: ({ storedUid }) => storedUid,
}

const TO_CURRENT: Direction = {
  rename: toCurrentNames,
  isNamed: ({ uid: own, formerUids }, uid) => own === uid || formerUids.includes(uid),
  uidOf: ({ uid }) => uid,
}

function renamed(attribute: AttributePlan, value: unknown, direction: Direction): unknown {
  if (!isNesting(attribute) || typeof value !== 'object' || value === null) return value
  const one = (element: unknown): unknown => {
    if (typeof element !== 'object' || element === null) return element
    if (attribute.kind === 'component') {
      return direction.rename(attribute.component(), element as Data)
    }
    return renamedElement(attribute, element as Data, direction)
  }
  return Array.isArray(value) ? value.map(one) : one(value)
}

function renamedElement(zone: DynamicZonePlan, element: Data, direction: Direction): Data {
  const component = componentNamed(zone, element, direction)
  if (component === undefined) return element
  const values = direction.rename(component, element)
  const shown = direction.uidOf(component)
  return shown === element['__component'] ? values : { ...values, __component: shown }
}

function componentNamed(
  zone: DynamicZonePlan,
  element: Data,
  { isNamed }: Direction,
): ComponentPlan | undefined {
  const uid = String(element['__component'])
  const components = zone.components()
  const own = components.get(uid)
  if (own !== undefined && isNamed(own, uid)) return own
  return [...components.values()].find((one) => isNamed(one, uid))
}

/** The component of an element as it is in the database. */
export function storedComponentOf(
  attribute: NestingPlan,
  element: Data,
): ComponentPlan | undefined {
  return attribute.kind === 'component'
    ? attribute.component()
    : componentNamed(attribute, element, FROM_ROWS)
}
