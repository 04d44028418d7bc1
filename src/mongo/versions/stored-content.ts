import type { Document } from 'mongodb'
import type { Data } from '../../schema/definition.ts'

/**
 * The expression for what a stored version holds of every attribute, always in the same order, so that two of them can be
 * compared where they are stored. `unset` is what an attribute counts as that a version has never heard of.
 */
export function storedContent(unset: Data): Document {
  const content = Object.entries(unset).map(([name, value]): [string, Document] => [
    name,
    { $ifNull: [`$${name}`, value] },
  ])
  return content.length === 0 ? { $literal: null } : Object.fromEntries(content)
}
