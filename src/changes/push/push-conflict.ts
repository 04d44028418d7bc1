import type { ValidationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'

export type ConflictCode =
  | 'attribute_conflict'
  | 'document_changed'
  | 'document_deleted'
  | 'document_exists'
  | 'draft_modified'
  | 'invalid_after_merge'
  | 'unknown_attribute'
  | 'unknown_type'

/** A conflict leaves the content as it is. */
export interface PushConflict {
  readonly code: ConflictCode
  readonly attributes: readonly string[]
  readonly base: Data
  readonly mine: Data
  readonly theirs: Data | null
  readonly revision: string | null
  readonly error?: ValidationError
}

export interface ConflictSides extends Record<'base' | 'mine' | 'theirs', Data> {
  readonly revision: string | null
}

/** Limits the values of a conflict to the attributes that it is about. */
export function pickConflict(
  code: ConflictCode,
  attributes: readonly string[],
  { base, mine, theirs, revision }: ConflictSides,
): PushConflict {
  const pick = (values: Data): Data =>
    Object.fromEntries(Object.entries(values).filter(([name]) => attributes.includes(name)))
  return { code, attributes, base: pick(base), mine: pick(mine), theirs: pick(theirs), revision }
}
