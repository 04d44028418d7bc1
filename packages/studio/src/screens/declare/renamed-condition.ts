import type { Json } from '../../api/declarations.ts'
import { readAt, writeAt, type DraftAttribute } from './draft.ts'
import { renamesOf } from './value-renames.ts'

const CONDITION = ['studio', 'visibleWhen'] as const

interface Renames {
  /** By the name of the attribute in the file. */
  readonly nameOf: (older: string) => string
  readonly valueOf: (attribute: string, older: unknown) => unknown
}

/** The attributes with conditions that name renamed attributes and values of enumerations by their new names. */
export function withRenamedConditions(
  attributes: readonly DraftAttribute[],
): readonly DraftAttribute[] {
  const names = new Map<string, string>()
  const values = new Map<string, ReadonlyMap<unknown, string | null>>()
  for (const attribute of attributes) {
    const { was, name } = attribute
    if (was === null) continue
    names.set(was, name)
    values.set(was, new Map(Object.entries(renamesOf(attribute))))
  }
  const renames: Renames = {
    nameOf: (older) => names.get(older) ?? older,
    valueOf: (attribute, older) => values.get(attribute)?.get(older) ?? older,
  }
  return attributes.map((attribute) => {
    const condition = readAt(attribute.options, ...CONDITION)
    if (!isObject(condition)) return attribute
    const options = writeAt(attribute.options, CONDITION, conditionOf(condition, renames))
    return { ...attribute, options }
  })
}

function conditionOf(condition: Json, renames: Renames): Json {
  const members = Object.entries(condition).map(([key, operand]): readonly [string, unknown] => {
    if (!key.startsWith('$')) return [renames.nameOf(key), operandOf(key, operand, renames)]
    if (Array.isArray(operand)) return [key, operand.map((one) => within(one, renames))]
    return [key, within(operand, renames)]
  })
  return Object.fromEntries(members)
}

function within(condition: unknown, renames: Renames): unknown {
  return isObject(condition) ? conditionOf(condition, renames) : condition
}

function operandOf(attribute: string, operand: unknown, renames: Renames): unknown {
  if (Array.isArray(operand)) return operand.map((one) => renames.valueOf(attribute, one))
  if (!isObject(operand)) return renames.valueOf(attribute, operand)
  const comparisons = Object.entries(operand).map(
    ([operator, one]) => [operator, operandOf(attribute, one, renames)] as const,
  )
  return Object.fromEntries(comparisons)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
