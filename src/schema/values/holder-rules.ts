import Joi from 'joi'
import type { AnySchema, CustomHelpers, CustomValidator, Root, Schema as JoiSchema } from 'joi'
import { MAX_FAULTS } from '../../base/errors.ts'
import type {
  AttributeDefinition,
  ComponentAttributeDefinition,
  ComponentDefinition,
  DynamicZoneDefinition,
  Uid,
} from '../definition.ts'
import { IGNORED_KEYS } from './known-keys.ts'
import { STORED_PASSWORD } from './stored-password.ts'
import { ID_RULE, type Occasion, scalarRule, storedDefault } from './scalar-rules.ts'

/** Applies defaults and requires required ones (`fill`), or keeps stored values (`keep`). */
export type Absence = 'fill' | 'keep'

type Attributes = Readonly<Record<string, AttributeDefinition>>

interface Scope {
  readonly occasion: Occasion
  readonly components: ReadonlyMap<Uid, ComponentDefinition>
  readonly made: Map<string, JoiSchema>
  readonly open: Set<string>
}

type Choose = (value: unknown) => JoiSchema

export interface FaultCount {
  faults: number
}

const joi = Joi.extend(
  {
    type: 'bounded',
    base: Joi.any(),
    validate(value: unknown, { schema, state, prefs }: CustomHelpers) {
      const { count } = (prefs.context ?? {}) as { readonly count?: FaultCount }
      const before = count?.faults ?? 0
      if (before > MAX_FAULTS) return { value }
      const element = (schema as AnySchema).$_getFlag('element') as JoiSchema
      const result = element.$_validate(value, state, prefs)
      if (count !== undefined)
        count.faults = before + faultsOf((result as { readonly errors?: unknown }).errors)
      return result
    },
    rules: {
      element: {
        method(this: AnySchema, element: JoiSchema) {
          return this.$_setFlag('element', element)
        },
      },
    },
  },
  {
    type: 'chosen',
    base: Joi.any(),
    validate(value: unknown, { schema, state, prefs }: CustomHelpers) {
      const choose = (schema as AnySchema).$_getFlag('choose') as Choose
      return choose(value).$_validate(value, state, prefs)
    },
    rules: {
      by: {
        method(this: AnySchema, choose: Choose) {
          return this.$_setFlag('choose', choose)
        },
      },
    },
  },
) as Root & {
  chosen(): { by(choose: Choose): AnySchema }
  bounded(): { element(rule: JoiSchema): AnySchema }
}

function faultsOf(errors: unknown): number {
  if (Array.isArray(errors)) return errors.length
  return errors === undefined || errors === null ? 0 : 1
}

export function contentTypeRule(
  attributes: Attributes,
  components: ReadonlyMap<Uid, ComponentDefinition>,
  { occasion, absence }: { readonly occasion: Occasion; readonly absence: Absence },
): JoiSchema {
  const scope: Scope = { occasion, components, made: new Map(), open: new Set() }
  const ignored = IGNORED_KEYS.map((key): [string, JoiSchema] => [key, joi.any().strip()])
  const rules = attributeRules(attributes, absence, scope)
  return joi.object(Object.fromEntries([...ignored, ...rules])).unknown()
}

function attributeRules(
  attributes: Attributes,
  absence: Absence,
  scope: Scope,
): [string, JoiSchema][] {
  return Object.entries(attributes).map(([name, definition]) => {
    const rule = valueRule(definition, absence, scope)
    return [name, absence === 'keep' ? rule : whenAbsent(definition, rule, scope.occasion)]
  })
}

function whenAbsent(
  definition: AttributeDefinition,
  rule: JoiSchema,
  occasion: Occasion,
): JoiSchema {
  if ('default' in definition && definition.default !== undefined && occasion !== 'publishable') {
    return rule.default(storedDefault(definition) as object | string | null)
  }
  return isRequired(definition, occasion) ? rule.required() : rule
}

function valueRule(definition: AttributeDefinition, absence: Absence, scope: Scope): JoiSchema {
  if (definition.type === 'component') return componentRule(definition, absence, scope)
  if (definition.type === 'dynamiczone') return zoneRule(definition, absence, scope)
  if (definition.type === 'relation' || definition.type === 'media') {
    return isRequired(definition, scope.occasion) ? joi.any().custom(notNothing) : joi.any()
  }
  const rule = scalarRule(definition, scope.occasion)
  if (definition.type !== 'password') return rule
  return joi.chosen().by((value) => (value === STORED_PASSWORD ? joi.any() : rule))
}

function componentRule(
  definition: ComponentAttributeDefinition,
  absence: Absence,
  scope: Scope,
): JoiSchema {
  const rule = entryRule(definition.component, absence, scope)
  if (definition.repeatable === true) return listRule(rule, definition, scope)
  return isRequired(definition, scope.occasion) ? rule : rule.allow(null)
}

function zoneRule(definition: DynamicZoneDefinition, absence: Absence, scope: Scope): JoiSchema {
  const uids = definition.components
  const unknown = joi.object({ __component: joi.valid(...uids).required() }).unknown()
  const rules = new Map<unknown, JoiSchema>(
    uids.map((uid) => [uid, entryRule(uid, absence, scope)]),
  )
  const rule = joi.chosen().by((value) => rules.get(memberOf(value, '__component')) ?? unknown)
  return listRule(rule, definition, scope)
}

/** A component without a stored id is new, with defaults. In an update, one with a stored id is merged. */
function entryRule(uid: Uid, absence: Absence, scope: Scope): JoiSchema {
  const fresh = freshOrMerged(uid, 'fill', scope)
  if (absence === 'fill') return fresh
  const merged = freshOrMerged(uid, 'keep', scope)
  return joi.chosen().by((value) => (hasId(value) ? merged : fresh))
}

function freshOrMerged(uid: Uid, absence: Absence, scope: Scope): JoiSchema {
  const key = `${absence} ${uid}`
  const made = scope.made.get(key)
  if (made !== undefined) return made
  if (scope.open.has(key)) return joi.chosen().by(() => found(scope.made, key))
  scope.open.add(key)
  const rules = attributeRules(found(scope.components, uid).attributes, absence, scope)
  const rule = joi.object({ ...Object.fromEntries(rules), id: ID_RULE }).unknown()
  scope.open.delete(key)
  scope.made.set(key, rule)
  return rule
}

function listRule(
  element: JoiSchema,
  { min, max, required = false }: ComponentAttributeDefinition | DynamicZoneDefinition,
  { occasion }: Scope,
): JoiSchema {
  let rule = joi.array().items(joi.bounded().element(element))
  if (occasion === 'draft') return rule
  if (min !== undefined) rule = rule.custom(atLeastItems(min, required))
  return max === undefined ? rule : rule.max(max)
}

function atLeastItems(limit: number, required: boolean): CustomValidator<readonly unknown[]> {
  return (value, { error }) => {
    const isFine = value.length >= limit || (value.length === 0 && !required)
    return isFine ? value : error('array.min', { limit })
  }
}

function notNothing(value: unknown, { error }: CustomHelpers): unknown {
  const isNothing = value === null || (Array.isArray(value) && value.length === 0)
  return isNothing ? error('any.null') : value
}

/** An inverse side is not stored in the version, so it cannot be required. */
function isRequired(definition: AttributeDefinition, occasion: Occasion): boolean {
  const isInverse = definition.type === 'relation' && definition.mappedBy !== undefined
  return definition.required === true && !isInverse && occasion !== 'draft'
}

function hasId(value: unknown): boolean {
  const id = memberOf(value, 'id')
  return id !== undefined && id !== null
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
}

function found<T>(values: ReadonlyMap<string, T>, key: string): T {
  const value = values.get(key)
  if (value === undefined) throw new Error(`The definitions were not checked: there is no ${key}`)
  return value
}
