import { ValidationError } from '../base/errors.ts'
import type { AttributeDefinition, ComponentDefinition, Data, Uid } from './definition.ts'
import type { AttributePlan, Validators } from './plan.ts'

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

type Aliases = Pick<Validators, 'resolveAliases' | 'withoutAliases'>

const MAX_DEPTH = 20

export function compileAliases(attributes: Attributes, components: Components): Aliases {
  const hasAny = [attributes, ...[...components.values()].map((one) => one.attributes)].some(
    (own) => Object.values(own).some(({ alias }) => alias !== undefined),
  )
  if (!hasAny) return { resolveAliases: (data) => data, withoutAliases: (shown) => shown }
  return {
    resolveAliases: (data) => resolved(data, attributes, { components, isShown: false, depth: 0 }),
    withoutAliases: (shown) => resolved(shown, attributes, { components, isShown: true, depth: 0 }),
  }
}

interface Resolution {
  readonly components: Components
  /** Whether the values may have both names. */
  readonly isShown: boolean
  readonly depth: number
}

function resolved(data: Data, attributes: Attributes, resolution: Resolution): Data {
  const { isShown, depth } = resolution
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
      if (isShown) continue
      const details = { key, path: key, source: 'body' }
      const message = `${key} is an alias of ${name}: give only one of them`
      throw new ValidationError(message, details, { code: 'invalid_key' })
    }
    Object.defineProperty(result, name, {
      value: within(value, attributes[name], resolution),
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
  resolution: Resolution,
): unknown {
  if (attribute?.type !== 'component' && attribute?.type !== 'dynamiczone') return value
  if (Array.isArray(value)) return value.map((one) => element(one, attribute, resolution))
  return element(value, attribute, resolution)
}

function element(
  value: unknown,
  attribute: Extract<AttributeDefinition, { type: 'component' | 'dynamiczone' }>,
  resolution: Resolution,
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const data = value as Data
  const uid = attribute.type === 'component' ? attribute.component : String(data['__component'])
  const component = resolution.components.get(uid)
  return component === undefined
    ? value
    : resolved(data, component.attributes, { ...resolution, depth: resolution.depth + 1 })
}
