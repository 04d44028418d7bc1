import { SCALAR_KINDS } from './attribute-kinds.ts'
import type {
  AttributeDefinition,
  ComponentDefinition,
  Data,
  DynamicZoneDefinition,
  ComponentAttributeDefinition,
  Uid,
} from '../definition.ts'

type Components = ReadonlyMap<Uid, ComponentDefinition>
type Attributes = Readonly<Record<string, AttributeDefinition>>

/** Adds null for absent attributes and removes null lists, because absent and null are equal in stored versions. */
export function withNulls(stored: Data, attributes: Attributes, components: Components): Data {
  const complete: Data = { ...stored }
  for (const [name, definition] of Object.entries(attributes)) {
    const value = stored[name] ?? null
    if (isNested(definition)) {
      complete[name] = mapEntries(value, definition, components, withNulls) ?? absentOf(definition)
    } else {
      complete[name] = value
    }
  }
  return complete
}

export function shownValues(stored: Data, attributes: Attributes, components: Components): Data {
  const shown: Data = {}
  for (const [name, definition] of Object.entries(attributes)) {
    if (definition.private === true || definition.type === 'password') continue
    const value = stored[name] ?? null
    if (isNested(definition)) {
      shown[name] = mapEntries(value, definition, components, shownValues) ?? absentOf(definition)
    } else if (definition.type === 'relation' || definition.type === 'media') {
      shown[name] = value === null ? null : undefined
    } else {
      shown[name] = SCALAR_KINDS[definition.type].toJson(value)
    }
  }
  return shown
}

type NestedDefinition = ComponentAttributeDefinition | DynamicZoneDefinition

function isNested(definition: AttributeDefinition): definition is NestedDefinition {
  return definition.type === 'component' || definition.type === 'dynamiczone'
}

function absentOf(definition: NestedDefinition): null | undefined {
  return definition.type === 'component' && definition.repeatable !== true ? null : undefined
}

function mapEntries(
  value: unknown,
  definition: NestedDefinition,
  components: Components,
  map: (stored: Data, attributes: Attributes, components: Components) => Data,
): unknown {
  if (Array.isArray(value)) {
    return value.map((element: unknown) => mapEntries(element, definition, components, map))
  }
  if (typeof value !== 'object' || value === null) return value
  const entry = value as Data
  const attributes = components.get(uidOf(entry, definition))?.attributes
  if (attributes === undefined) return value
  const mapped = map(entry, attributes, components)
  return '__component' in entry ? { ...mapped, __component: entry['__component'] } : mapped
}

function uidOf(entry: Data, definition: NestedDefinition): Uid {
  return definition.type === 'component' ? definition.component : String(entry['__component'])
}
