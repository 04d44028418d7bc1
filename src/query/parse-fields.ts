import { ValidationError } from '../base/errors.ts'
import type { ShapePlan } from '../schema/plan.ts'
import { findMember } from './find-member.ts'
import { unusableKey } from './query-error.ts'
import type { FieldSelection } from './query.ts'

/** Accepts `title`, `title,views`, `*`, or a list of names. @throws ValidationError */
export function parseFields(input: unknown, holder: ShapePlan): FieldSelection {
  if (input === undefined) return 'all'
  const names = namesOf(input)
  if (names.length === 1 && names[0] === '*') return 'all'
  for (const name of names) assertSelectable(name, holder)
  return [...new Set(names)]
}

function namesOf(input: unknown): readonly string[] {
  if (typeof input === 'string' && input !== '') {
    return input.split(',').map((name) => name.trim())
  }
  if (Array.isArray(input) && input.every((item) => typeof item === 'string')) return input
  throw new ValidationError(
    'Invalid fields parameter. Expected a string or an array of strings',
    {},
    { code: 'invalid_query' },
  )
}

function assertSelectable(name: string, holder: ShapePlan): void {
  const attribute = findMember(name, holder, null, 'fields', ({ kind }) => kind === 'scalar')
  if (attribute.kind !== 'scalar') throw unusableKey(name, null, 'fields')
}
