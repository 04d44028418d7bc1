import type { Attribute, Attributes } from '../../../api/attributes.ts'
import { isNumberType } from '../../../api/attributes.ts'
import type { RuleData } from '../../../api/management.ts'
import { fromInput, INPUT_OF, toInput } from '../../../fields/time/local-time.ts'
import type { TimeType } from '@quire/schema/attributes'
import {
  type FilterWord,
  type OperatorWord,
  operatorsOf,
  takesList,
  takesValue,
} from '../../list/filter-words.ts'

/** The conditions of `where`. A condition that the form cannot show stays as it is. */
export interface Conditions {
  readonly joined: 'all' | 'any'
  readonly of: readonly unknown[]
}

/** Splits `where` into conditions. Keys next to each other are joined by AND. */
export function readWhere(where: RuleData | undefined): Conditions {
  const entries = Object.entries(where ?? {})
  const [first] = entries
  if (first === undefined) return { joined: 'all', of: [] }
  const [key, list] = first
  if (entries.length === 1 && Array.isArray(list)) {
    if (key === '$and') return { joined: 'all', of: list }
    if (key === '$or') return { joined: 'any', of: list }
  }
  return { joined: 'all', of: entries.map(([name, value]) => ({ [name]: value })) }
}

/** Undefined without conditions. */
export function writeWhere({ joined, of }: Conditions): RuleData | undefined {
  if (of.length === 0) return undefined
  if (joined === 'any') return { $or: of }
  const names = of.map(attributeOf)
  const isFlat = !names.includes(null) && new Set(names).size === names.length
  return isFlat ? Object.fromEntries(of.filter(isData).flatMap(Object.entries)) : { $and: of }
}

/** The only attribute that a condition compares; null for several, and for `$or` and `$not`. */
function attributeOf(condition: unknown): string | null {
  const [name, ...more] = isData(condition) ? Object.keys(condition) : []
  return name === undefined || more.length > 0 || name.startsWith('$') ? null : name
}

/** As in the language of rules. Lists ignore the case of texts; rules compare exactly. */
const OPERATORS: Readonly<Record<OperatorWord, string>> = {
  is: '$eq',
  isNot: '$ne',
  isOneOf: '$in',
  isNoneOf: '$notIn',
  contains: '$contains',
  begins: '$startsWith',
  above: '$gt',
  atLeast: '$gte',
  below: '$lt',
  atMost: '$lte',
  after: '$gt',
  before: '$lt',
  isEmpty: '$null',
  isNotEmpty: '$notNull',
}

export function conditionOf(word: FilterWord, attributes: Attributes): RuleData {
  const operator = OPERATORS[word.is]
  if (!takesValue(word.is)) return { [word.at]: { [operator]: true } }
  if (takesList(word.is)) return { [word.at]: { [operator]: word.among?.map(escaped) ?? [] } }
  const operand = operandOf(word, attributes[word.at])
  return { [word.at]: word.is === 'is' ? operand : { [operator]: operand } }
}

/** Null for a condition that the form cannot show. */
export function wordOf(condition: unknown, attributes: Attributes): FilterWord | null {
  const entry = onlyEntry(condition)
  if (entry === null) return null
  const [at, value] = entry
  const attribute = attributeAt(at, attributes)
  const comparison = attribute === null ? null : onlyEntry(comparisonsOf(value, attribute))
  if (attribute === null || comparison === null) return null
  const [operator, operand] = comparison
  const is = operatorsOf(attribute).find((one) => OPERATORS[one] === operator)
  if (is === undefined) return null
  if (!takesValue(is)) return operand === true ? { at, is } : null
  if (takesList(is)) return withList({ at, is }, operand)
  return withOperand({ at, is }, operand, attribute)
}

function onlyEntry(value: unknown): readonly [string, unknown] | null {
  const [entry = null, ...more] = isData(value) ? Object.entries(value) : []
  return more.length > 0 ? null : entry
}

function attributeAt(name: string, attributes: Attributes): Attribute | null {
  return (Object.hasOwn(attributes, name) ? attributes[name] : null) ?? null
}

function comparisonsOf(value: unknown, { type }: Attribute): RuleData {
  if (!isData(value)) return { $eq: value }
  const isNamed = type === 'relation' && Object.keys(value).join() === 'documentId'
  const named = value['documentId']
  if (!isNamed) return value
  return isData(named) ? named : { $eq: named }
}

/** The value that the server sets. */
export function stampOf(word: FilterWord, attributes: Attributes): unknown {
  return word.is === 'isEmpty' ? null : operandOf(word, attributes[word.at])
}

const WITHOUT_STAMP: readonly string[] = ['media', 'blocks', 'json', 'location']

/** Whether the form can set the attribute. */
export function takesStamp(attribute: Attribute): boolean {
  const isWritable = attribute.writable !== false && operatorsOf(attribute).length > 0
  return isWritable && !WITHOUT_STAMP.includes(attribute.type)
}

/** Null for a value that the form cannot show. */
export function wordOfStamp(at: string, value: unknown, attributes: Attributes): FilterWord | null {
  const attribute = attributeAt(at, attributes)
  if (attribute === null || !takesStamp(attribute)) return null
  if (value === null) return { at, is: 'isEmpty' }
  return withOperand({ at, is: 'is' }, value, attribute)
}

const OPERAND = /^\$(user|now)(\.|$)/

function withOperand(
  word: Pick<FilterWord, 'at' | 'is'>,
  operand: unknown,
  attribute: Attribute,
): FilterWord | null {
  if (typeof operand === 'string' && OPERAND.test(operand)) return { ...word, variable: operand }
  if (!isScalar(operand) || isUnknownOperand(operand)) return null
  const shown = { ...word, to: toShown(operand, attribute) }
  // A value that the input of its type cannot show exactly would change with the next save.
  return String(operandOf(shown, attribute)) === String(operand) ? shown : null
}

/** Null for a list that the form cannot show. */
function withList(word: Pick<FilterWord, 'at' | 'is'>, operand: unknown): FilterWord | null {
  if (!Array.isArray(operand) || operand.length === 0) return null
  const isShown = operand.every((one) => typeof one === 'string' && !isUnknownOperand(one))
  return isShown ? { ...word, among: (operand as readonly string[]).map(unescaped) } : null
}

function toShown(operand: string | number | boolean, { type }: Attribute): string {
  const text = typeof operand === 'string' ? unescaped(operand) : String(operand)
  return isTime(type) ? toInput(type, text) : text
}

/** A text that begins with `$` is written with `$$`. */
function operandOf({ to = '', variable }: FilterWord, attribute: Attribute | undefined): unknown {
  if (variable !== undefined) return variable
  const type = attribute?.type ?? 'string'
  if (type === 'boolean') return to === 'true'
  if (isTime(type)) return fromInput(type, to)
  return isNumberType(type) && type !== 'decimal' ? numberOf(to) : escaped(to)
}

/** A number with more digits than JSON keeps is a text. */
function numberOf(text: string): number | string {
  const number = Number(text)
  return String(number) === text && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text
}

function escaped(text: string): string {
  return text.startsWith('$') ? `$${text}` : text
}

function unescaped(text: string): string {
  return text.replace(/^\$\$/, '$')
}

function isUnknownOperand(operand: string | number | boolean): boolean {
  return typeof operand === 'string' && operand.startsWith('$') && !operand.startsWith('$$')
}

function isTime(type: Attribute['type']): type is TimeType {
  return Object.hasOwn(INPUT_OF, type)
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

export function isData(value: unknown): value is RuleData {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
