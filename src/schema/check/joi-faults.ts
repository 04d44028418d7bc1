import type { Schema as JoiSchema, ValidationErrorItem } from 'joi'
import type { FaultCode } from '../../base/fault-codes.ts'
import type { DeclarationFault } from '../definition.ts'
import { declarationFault, isDeclarationCode } from './declaration-fault.ts'

const CODES: ReadonlyMap<string, FaultCode> = new Map(
  (
    [
      'any.only',
      'any.required',
      'array.base',
      'array.min',
      'array.unique',
      'boolean.base',
      'number.base',
      'number.integer',
      'number.min',
      'object.base',
      'string.base',
      'string.empty',
    ] satisfies readonly FaultCode[]
  ).map((code) => [code, code]),
)

/** The names of the patterns, and the alternatives of the bounds of big integers. */
const OTHER_CODES: ReadonlyMap<string, FaultCode> = new Map([
  ['a whole number', 'biginteger.base'],
  ['alternatives.match', 'biginteger.base'],
  ['alternatives.types', 'biginteger.base'],
  ['letters, digits and _', 'declare.collection'],
])

/** Every fault has a code: `any.invalid` for rules without a text of their own. */
export function findJoiFaults(rule: JoiSchema, content: unknown): readonly DeclarationFault[] {
  const { error } = rule.validate(content, {
    abortEarly: false,
    convert: false,
    errors: { label: false, wrap: { array: false } },
    messages: { 'string.pattern.name': 'must be {{#name}}' },
  })
  return (error?.details ?? []).map(toFault)
}

function toFault({ type, path, message, context = {} }: ValidationErrorItem): DeclarationFault {
  const at = path.join('.')
  const { limit, valids, name } = context as Readonly<Record<string, unknown>>
  const params = {
    ...(typeof limit === 'number' && { limit }),
    ...(Array.isArray(valids) && { valids: valids.map(String) }),
    ...(typeof name === 'string' && { name }),
  }
  if (isDeclarationCode(type)) return declarationFault(at, type, params)
  const rule = type === 'string.pattern.name' ? String(name) : type
  const code = CODES.get(rule) ?? OTHER_CODES.get(rule) ?? 'any.invalid'
  return { path: at, problem: message, reason: { code, params } }
}
