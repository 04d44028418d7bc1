import { CommandError } from '../errors.ts'
import { isDocument } from './values.ts'
import type { Value } from './values.ts'

/** Limit of stored documents. A command may add 20 levels, as in MongoDB. */
const MAX_STORED_LEVELS = 180

function isDeeper(value: Value, levels: number): boolean {
  if (Array.isArray(value))
    return levels === 0 || value.some((element) => isDeeper(element, levels - 1))
  if (!isDocument(value)) return false
  if (levels === 0) return true
  for (const name of Object.keys(value)) if (isDeeper(value[name], levels - 1)) return true
  return false
}

/** @throws CommandError Overflow if the document is nested deeper than MongoDB allows */
export function assertStorableDepth(document: Value): void {
  if (!isDeeper(document, MAX_STORED_LEVELS)) return
  throw new CommandError(
    'Overflow',
    `cannot store a document that exceeds ${MAX_STORED_LEVELS} levels of nesting`,
  )
}
