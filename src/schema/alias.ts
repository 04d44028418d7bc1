import { ValidationError } from '../base/errors.ts'
import type { AttributeDefinition, ComponentDefinition, Data, Uid } from './definition.ts'
import type { AttributePlan } from './plan.ts'

export function valueName({ name, aliasOf }: Pick<AttributePlan, 'name' | 'aliasOf'>): string {
  return aliasOf ?? name
}

export function aliasesOf(attribute: AttributePlan, aliases: readonly string[]): AttributePlan[] {
  return aliases.map((name): AttributePlan => {
    const names = { name, aliasOf: attribute.name }
    return attribute.kind === 'media'
      ? Object.freeze({ ...attribute, ...names, files: { ...attribute.files, ...names } })
      : Object.freeze({ ...attribute, ...names })
  })
}

type Attributes = Readonly<Record<string, AttributeDefinition>>
type Components = ReadonlyMap<Uid, ComponentDefinition>

/** Renames the aliases in a payload to their attributes. @throws ValidationError if both are given */
export type ResolveAliases = (data: Data) => Data

const MAX_DEPTH = 20

export function compileAliases(attributes: Attributes, components: Components): ResolveAliases {
  const hasAny = [attributes, ...[...components.values()].map((one) => one.attributes)].some(
    (own) => Object.values(own).some(({ alias }) => alias !== undefined),
  )
  if (!hasAny) return (data) => data
  return (data) => resolved(data, attributes, components, 0)
}

function resolved(data: Data, attributes: Attributes, components: Components, depth: number): Data {
  if (depth > MAX_DEPTH) return data // refused by the check of the keys
  const names = new Map(
    Object.entries(attributes).flatMap(([name, { alias = [] }]) =>
      alias.map((one) => [one, name] as const),
    ),
  )
  const result: Data = {}
  for (const [key, value] of Object.entries(data)) {
    const name = names.get(key) ?? key
    if (name !== key && Object.hasOwn(data, name)) {
      const details = { key, path: key, source: 'body' }
      const message = `${key} is an alias of ${name}: give only one of them`
      throw new ValidationError(message, details, { code: 'invalid_key' })
    }
    Object.defineProperty(result, name, {
      value: within(value, attributes[name], components, depth),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return result
}

function within(
  value: unknown,
  attribute: AttributeDefinition | undefined,
  components: Components,
  depth: number,
): unknown {
  if (attribute?.type !== 'component' && attribute?.type !== 'dynamiczone') return value
  if (Array.isArray(value)) return value.map((one) => element(one, attribute, components, depth))
  return element(value, attribute, components, depth)
}

function element(
  value: unknown,
  attribute: Extract<AttributeDefinition, { type: 'component' | 'dynamiczone' }>,
  components: Components,
  depth: number,
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const data = value as Data
  const uid = attribute.type === 'component' ? attribute.component : String(data['__component'])
  const component = components.get(uid)
  return component === undefined
    ? value
    : resolved(data, component.attributes, components, depth + 1)
}
