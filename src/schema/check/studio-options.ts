import { STUDIO_LANGUAGES } from '@quire/schema/attributes'
import { isRecord } from '../../base/is-record.ts'
import type { AttributeDefinition, DeclarationFault } from '../definition.ts'
import { declarationFault, suggest } from './declaration-fault.ts'
import { COMPARISONS, fitsAttribute, isTested } from './studio-operands.ts'

/** The attributes of the same file, unchecked. */
type Neighbours = ReadonlyMap<string, unknown>

const OPTIONS = [
  'label',
  'description',
  'placeholder',
  'group',
  'width',
  'visibleWhen',
  'values',
] as const
const TEXTS = ['label', 'description', 'placeholder', 'group'] as const
const MAX_TEXT_LENGTH = 500
const MAX_CONDITION_DEPTH = 5

export function findStudioFaults(
  definition: AttributeDefinition,
  neighbours: Neighbours,
): readonly DeclarationFault[] {
  const { studio } = definition
  if (studio === undefined) return []
  const { values = {}, visibleWhen } = studio
  const faults = [
    ...unknownOptions(studio),
    ...TEXTS.flatMap((name) => textFaults(name, studio[name])),
    ...valueFaults(values, definition),
    ...(visibleWhen === undefined ? [] : conditionFaults('visibleWhen', visibleWhen, neighbours)),
  ]
  return faults.map((fault) => ({ ...fault, path: `studio.${fault.path}` }))
}

function unknownOptions(studio: object): readonly DeclarationFault[] {
  return Object.keys(studio)
    .filter((key) => !(OPTIONS as readonly string[]).includes(key))
    .map((key) => declarationFault(key, 'declare.noOption', suggest(key, OPTIONS)))
}

function textFaults(path: string, text: unknown): readonly DeclarationFault[] {
  if (text === undefined || isText(text)) return []
  const isByLanguage =
    isRecord(text) &&
    Object.keys(text).length > 0 &&
    Object.entries(text).every(
      ([language, one]) => STUDIO_LANGUAGES.some((known) => known === language) && isText(one),
    )
  if (isByLanguage) return []
  const params = { limit: MAX_TEXT_LENGTH, valids: STUDIO_LANGUAGES }
  return [declarationFault(path, 'declare.studioText', params)]
}

function isText(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '' && text.length <= MAX_TEXT_LENGTH
}

function valueFaults(values: object, definition: AttributeDefinition): readonly DeclarationFault[] {
  const known = definition.type === 'enumeration' ? (definition.enum ?? []) : []
  return Object.entries(values).flatMap(([value, text]) => {
    const path = `values.${value}`
    if (known.includes(value)) return textFaults(path, text)
    const params = { name: value, ...suggest(value, known) }
    return [declarationFault(path, 'declare.studioValue', params)]
  })
}

function conditionFaults(
  path: string,
  condition: unknown,
  neighbours: Neighbours,
  depth = 0,
): readonly DeclarationFault[] {
  if (!isRecord(condition) || depth > MAX_CONDITION_DEPTH) return [noCondition(path)]
  const entries = Object.entries(condition)
  if (entries.length === 0) return [noCondition(path)]
  return entries.flatMap(([key, operand]) => {
    const at = `${path}.${key}`
    if (key === '$not') return conditionFaults(at, operand, neighbours, depth + 1)
    if (key === '$and' || key === '$or') {
      if (!Array.isArray(operand) || operand.length === 0) return [noCondition(at)]
      return operand.flatMap((one, index) =>
        conditionFaults(`${at}.${index}`, one, neighbours, depth + 1),
      )
    }
    return comparisonFaults(at, key, operand, neighbours)
  })
}

function noCondition(path: string): DeclarationFault {
  return declarationFault(path, 'declare.studioCondition')
}

function comparisonFaults(
  path: string,
  name: string,
  operand: unknown,
  neighbours: Neighbours,
): readonly DeclarationFault[] {
  const attribute = neighbours.get(name)
  if (!isRecord(attribute)) {
    const params = { name, ...suggest(name, neighbours.keys()) }
    return [declarationFault(path, 'declare.noAttribute', params)]
  }
  const comparisons = isRecord(operand) ? operand : { $eq: operand }
  if (Object.keys(comparisons).length === 0) return [noCondition(path)]
  return Object.entries(comparisons).flatMap(([operator, value]) => {
    const at = isRecord(operand) ? `${path}.${operator}` : path
    if (!isTested(operator)) {
      return [declarationFault(at, 'declare.noOption', suggest(operator, COMPARISONS))]
    }
    const params = { option: operator, name }
    return fitsAttribute(operator, value, attribute)
      ? []
      : [declarationFault(at, 'declare.studioOperand', params)]
  })
}
