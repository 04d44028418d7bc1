import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import type { Data } from '../../schema/definition.ts'
import { STORED_PASSWORD } from '../../schema/values/stored-password.ts'
import type { ShapePlan, AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import { isList } from './component-values.ts'

function sharedAttributes(plan: ContentTypePlan): readonly AttributePlan[] {
  if (!plan.localized) return []
  return [...plan.attributes.values()].filter((attribute) => !attribute.localized)
}

export function pickShared(plan: ContentTypePlan, values: Data): Data {
  const given = sharedAttributes(plan).filter(({ name }) => values[name] !== undefined)
  return Object.fromEntries(given.map(({ name }) => [name, values[name]]))
}

export function hasShared(plan: ContentTypePlan, names: Iterable<string> | 'any'): boolean {
  const shared = sharedAttributes(plan)
  if (names === 'any') return shared.length > 0
  const given = new Set(names)
  return shared.some(({ name }) => given.has(name))
}

/** A missing list of components is stored as null, but absent in a payload. */
export function toPayload(holder: ShapePlan, stored: Data): Data {
  const isGiven = (attribute: AttributePlan): boolean => {
    const value = stored[attribute.name]
    return value !== undefined && !(value === null && isListOfComponents(attribute))
  }
  const given = [...holder.attributes.values()].filter(isGiven)
  return Object.fromEntries(
    given.map((attribute) => [attribute.name, payloadOf(attribute, stored[attribute.name])]),
  )
}

function isListOfComponents(attribute: AttributePlan): boolean {
  return (attribute.kind === 'component' || attribute.kind === 'dynamiczone') && isList(attribute)
}

function payloadOf(attribute: AttributePlan, value: unknown): unknown {
  switch (attribute.kind) {
    case 'scalar':
      if (attribute.type === 'password' && value !== null) return STORED_PASSWORD
      return SCALAR_KINDS[attribute.type].toJson(value)
    case 'relation':
    case 'media':
      return value
    case 'component':
    case 'dynamiczone': {
      if (value === null) return null
      const one = (element: Data): Data => elementOf(attribute, element)
      return Array.isArray(value) ? (value as readonly Data[]).map(one) : one(value as Data)
    }
  }
}

function elementOf(
  attribute: Extract<AttributePlan, { readonly kind: 'component' | 'dynamiczone' }>,
  element: Data,
): Data {
  if (attribute.kind === 'component') return toPayload(attribute.component(), element)
  const { __component } = element
  const component = attribute.components().get(String(__component))
  return component === undefined ? element : { ...toPayload(component, element), __component }
}
