import type { Schema as JoiSchema, ValidationErrorItem } from 'joi'
import {
  type Fault,
  fault,
  MAX_FAULTS,
  type Reason,
  ValidationError,
  validationError,
} from '../../base/errors.ts'
import type { ComponentDefinition, ContentTypeDefinition, Data, Uid } from '../definition.ts'
import { type Absence, contentTypeRule, type FaultCount } from './holder-rules.ts'
import { compileAliases } from '../alias.ts'
import { assertKnownKeys } from './known-keys.ts'
import { once } from '../../base/once.ts'
import type { Validators } from '../plan.ts'
import type { Occasion } from './scalar-rules.ts'
import { shownValues, withNulls } from './stored-values.ts'
import { type Complaint, printValue, reasonOf, sentenceOf } from './value-messages.ts'

const MAX_DEPTH = 100
const OPTIONS = { abortEarly: false, convert: false } as const

function bounded() {
  const count: FaultCount = { faults: 0 }
  return { ...OPTIONS, context: { count } }
}

export function compileValidators(
  { attributes }: Pick<ContentTypeDefinition, 'attributes'>,
  components: ReadonlyMap<Uid, ComponentDefinition>,
): Validators {
  // On first use: the rules of 50 content-types would delay the start by 80 ms.
  const ruleFor = (occasion: Occasion, absence: Absence): (() => JoiSchema) =>
    once(() => contentTypeRule(attributes, components, { occasion, absence }))
  const validatorFor = (occasion: 'draft' | 'direct'): Validators['draft'] => {
    const rules = { fill: ruleFor(occasion, 'fill'), keep: ruleFor(occasion, 'keep') }
    return (payload, { creating, isTrusted = false }) => {
      assertShallow(payload)
      const data = aliases.resolveAliases(parsePayload(payload))
      assertKnownKeys(data, attributes, components, { isTrusted })
      return parseData(data, (creating ? rules.fill : rules.keep)())
    }
  }
  const aliases = compileAliases(attributes, components)
  const stored = ruleFor('publishable', 'fill')
  return Object.freeze({
    ...aliases,
    draft: validatorFor('draft'),
    direct: validatorFor('direct'),
    publishable(version: Data): void {
      const { error } = stored().validate(withNulls(version, attributes, components), bounded())
      if (error === undefined) return
      throw toValidationError(error.details, shownValues(version, attributes, components))
    },
    only(names: readonly string[]): Validators {
      const some = Object.entries(attributes).filter(([name]) => names.includes(name))
      return compileValidators({ attributes: Object.fromEntries(some) }, components)
    },
  })
}

function parsePayload(payload: unknown): Data {
  if (Array.isArray(payload)) {
    const cast = `(cast from the value \`${printValue(payload)}\`)`
    const message = `this must be a \`object\` type, but the final value was: \`null\` ${cast}.`
    throw validationError([fault([], message, null, { code: 'object.base' })])
  }
  if (typeof payload === 'object' && payload !== null) return payload as Data
  throw new ValidationError(
    'Missing "data" payload in the request body',
    {},
    { code: 'data_missing' },
  )
}

/** Printing a fault about deeper nesting would overflow the stack. */
function assertShallow(payload: unknown): void {
  if (!isDeeper(payload, MAX_DEPTH)) return
  throw new ValidationError(
    `The data is nested more than ${MAX_DEPTH} levels deep`,
    {},
    { code: 'invalid_payload' },
  )
}

/** Iterates over keys, because `Object.values` takes three times as long for large objects. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.keys(value).some((key) => isDeeper((value as Data)[key], levels - 1))
}

function parseData(data: Data, rule: JoiSchema): Data {
  const { error, value } = rule.validate(data, bounded()) as { error?: JoiError; value: Data }
  if (error === undefined) return value
  throw toValidationError(error.details, data)
}

interface JoiError {
  readonly details: readonly ValidationErrorItem[]
}

/** The reference reports format faults of dates and times without a list, and only if there are no other faults. */
function toValidationError(items: readonly ValidationErrorItem[], sent: Data): ValidationError {
  const faults = items
    .filter(({ type }) => !UNLISTED.has(type))
    .flatMap((item) => toFaults(item, sent))
  const [first, ...others] = faults
  if (first !== undefined) return validationError([first, ...others])
  const unlisted = items.flatMap((item) => toFaults(item, sent))
  const message = unlisted.map((one) => one.message).join('; ')
  const listed = unlisted.slice(0, MAX_FAULTS)
  return new ValidationError(message, {}, { code: 'invalid_payload', faults: listed })
}

const UNLISTED: ReadonlySet<string> = new Set<Reason['code']>([
  'date.format',
  'date.invalid',
  'datetime.format',
  'time.base',
  'time.format',
])

function toFaults(item: ValidationErrorItem, sent: Data): readonly Fault[] {
  const complaint = toComplaint(item)
  if (complaint.code === 'blocks') return complaint.context['faults'] as readonly Fault[]
  const within = complaint.context['within'] as readonly string[] | undefined
  const path = [...complaint.path, ...(within ?? [])]
  const value = valueAt(sent, path)
  const isNaN = complaint.code === 'number.base'
  const message = sentenceOf({ ...complaint, path })
  const isMissing = (value === null || value === undefined) && complaint.code.endsWith('.base')
  const reason = isMissing ? MISSING : reasonOf(complaint)
  return [fault(path, message, isNaN ? null : value, reason)]
}

/** The reference reports an absent value like null. */
const MISSING: Reason = { code: 'any.null' }

function toComplaint({ type: code, path, context = {} }: ValidationErrorItem): Complaint {
  if (code === 'any.custom') throw context['error']
  return { code, path, context }
}

function valueAt(data: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, key) => {
    const isHolder = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    return isHolder ? (value as Readonly<Record<string | number, unknown>>)[key] : undefined
  }, data)
}
