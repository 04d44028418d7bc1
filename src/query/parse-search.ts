import { ValidationError } from '../base/errors.ts'
import { SCALAR_KINDS } from '../schema/values/attribute-kinds.ts'
import type { ShapePlan, AttributePlan } from '../schema/plan.ts'
import { invalidValue } from './query-error.ts'
import { type Filter, QUERY_LIMITS } from './query.ts'

/** Searches text attributes by substring and numeric attributes by equality. */
export function parseSearch(input: unknown, holder: ShapePlan): Filter | null {
  if (input === undefined || input === '') return null
  if (typeof input !== 'string') throw invalidValue('_q', 'expected one text')
  if (input.length > QUERY_LIMITS.patternLength) {
    throw invalidValue('_q', `at most ${QUERY_LIMITS.patternLength} characters`)
  }
  if (input.includes('\0')) throw invalidValue('_q', 'a NUL character cannot be stored')
  const of = [...holder.members.values()]
    .filter(({ aliasOf }) => aliasOf === undefined)
    .flatMap((member) => searchCondition(member, input))
  return { kind: 'any', of }
}

function searchCondition(attribute: AttributePlan, text: string): readonly Filter[] {
  if (attribute.kind !== 'scalar' || attribute.private || attribute.name === 'locale') return []
  if (!attribute.searchable) return []
  const { searchable, fromQuery } = SCALAR_KINDS[attribute.type]
  if (searchable === 'text') {
    return [{ kind: 'compare', attribute, operator: 'containsi', operand: text }]
  }
  if (searchable === 'no' || text.trim() === '') return []
  try {
    return [{ kind: 'compare', attribute, operator: 'eq', operand: fromQuery(text) }]
  } catch (error) {
    if (error instanceof ValidationError) return [] // not a number, so it matches no numeric attribute
    throw error
  }
}
