import { NUMBER_TYPES, TEXT_TYPES, TIME_TYPES } from '@quire/schema/attributes'

export const COMPARISONS = [
  '$eq',
  '$ne',
  '$in',
  '$notIn',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$null',
  '$notNull',
] as const

type Comparison = (typeof COMPARISONS)[number]

export function isTested(operator: string): operator is Comparison {
  return (COMPARISONS as readonly string[]).includes(operator)
}

type Declared = Readonly<Record<string, unknown>>

type Fits = (operand: unknown, attribute: Declared) => boolean

const isFlag: Fits = (operand, { type }) => typeof operand === 'boolean' && type !== 'password'
const isList: Fits = (operand, attribute) =>
  Array.isArray(operand) && operand.length > 0 && operand.every((one) => isValueOf(one, attribute))
const isBound: Fits = (operand, attribute) => isOrdered(attribute) && isValueOf(operand, attribute)

const OPERANDS: Readonly<Record<Comparison, Fits>> = {
  $eq: isValueOf,
  $ne: isValueOf,
  $in: isList,
  $notIn: isList,
  $lt: isBound,
  $lte: isBound,
  $gt: isBound,
  $gte: isBound,
  $null: isFlag,
  $notNull: isFlag,
}

/** `attribute` is the unchecked declaration of the compared attribute. */
export function fitsAttribute(
  operator: Comparison,
  operand: unknown,
  attribute: Declared,
): boolean {
  return OPERANDS[operator](operand, attribute)
}

function isValueOf(value: unknown, { type, enum: values }: Declared): boolean {
  const name = String(type)
  if (name === 'boolean') return typeof value === 'boolean'
  if (name === 'enumeration') return Array.isArray(values) && values.includes(value)
  if (isAmong(NUMBER_TYPES, name)) return Number.isFinite(value)
  const isText = isAmong(TEXT_TYPES, name) && name !== 'password'
  return (isText || isAmong(TIME_TYPES, name)) && typeof value === 'string'
}

function isOrdered({ type }: Declared): boolean {
  return isAmong(NUMBER_TYPES, String(type)) || isAmong(TIME_TYPES, String(type))
}

function isAmong(types: readonly string[], type: string): boolean {
  return types.includes(type)
}
