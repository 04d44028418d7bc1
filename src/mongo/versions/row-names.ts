import type { Document } from 'mongodb'
import type { Data } from '../../schema/definition.ts'
import { type AttributePlan, componentOf, isNesting, type ShapePlan } from '../../schema/plan.ts'
import { currentAttributeName } from '../../schema/stored-path.ts'

/** Marks stored members of no attribute that have the name of one. Attribute names never begin with it. */
const HIDDEN = '~'

/** Renames stored members to their attributes. Returns the row itself for a type without renamed attributes. */
export function toAttributeNames(plan: ShapePlan, row: Document): Data {
  if (!plan.isRenamed()) return row
  const values: Data = {}
  for (const [stored, value] of Object.entries(row) as [string, unknown][]) {
    const attribute = plan.stored.get(stored)
    if (attribute !== undefined)
      values[attribute.name] = renamed(attribute, value, toAttributeNames)
    else values[plan.attributes.has(stored) ? HIDDEN + stored : stored] = value
  }
  return values
}

export function toStoredNames(plan: ShapePlan, values: Data): Document {
  if (!plan.isRenamed()) return values
  const row: Document = {}
  for (const [name, value] of Object.entries(values)) {
    const attribute = plan.attributes.get(name)
    if (attribute !== undefined)
      row[attribute.storedName] = renamed(attribute, value, toStoredNames)
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
    else current[attribute.name] = renamed(attribute, value, toCurrentNames)
  }
  return current
}

function renamed(
  attribute: AttributePlan,
  value: unknown,
  rename: (plan: ShapePlan, values: Data) => Data,
): unknown {
  if (!isNesting(attribute) || typeof value !== 'object' || value === null) return value
  const one = (element: unknown): unknown => {
    if (typeof element !== 'object' || element === null) return element
    const component = componentOf(attribute, element as Data)
    return component === undefined ? element : rename(component, element as Data)
  }
  return Array.isArray(value) ? value.map(one) : one(value)
}
