import { encodeDocument } from '../bson/encode.ts'
import { createDocument, getType, isDocument, toDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { spend } from '../deadline.ts'

interface Difference {
  readonly updatedFields: Document
  readonly removedFields: string[]
  readonly truncatedArrays: Document[]
}

/**
 * The `updateDescription` of a change event. It is the difference of two versions, so a `$set` of an
 * embedded document names only its changed members.
 */
export function describeUpdate(before: Document, after: Document): Document {
  const difference: Difference = {
    updatedFields: createDocument(),
    removedFields: [],
    truncatedArrays: [],
  }
  compareMembers(difference, '', before, after)
  return toDocument({ ...difference })
}

function compareMembers(to: Difference, prefix: string, before: Document, after: Document): void {
  for (const name of Object.keys(before)) if (!(name in after)) to.removedFields.push(prefix + name)
  for (const name of Object.keys(after)) {
    const path = prefix + name
    if (name in before) compareValue(to, path, before[name], after[name])
    else to.updatedFields[path] = after[name]
  }
}

function compareValue(to: Difference, path: string, before: Value, after: Value): void {
  spend()
  if (isDocument(before) && isDocument(after) && hasSameOrder(before, after))
    compareMembers(to, `${path}.`, before, after)
  else if (Array.isArray(before) && Array.isArray(after)) compareLists(to, path, before, after)
  else if (!isIdentical(before, after)) to.updatedFields[path] = after
}

function compareLists(
  to: Difference,
  path: string,
  before: readonly Value[],
  after: readonly Value[],
): void {
  if (after.length < before.length)
    to.truncatedArrays.push(toDocument({ field: path, newSize: after.length }))
  after.forEach((element, i) => {
    if (i < before.length) compareValue(to, `${path}.${i}`, before[i], element)
    else to.updatedFields[`${path}.${i}`] = element
  })
}

/** Whether removals and additions at the end lead from one document to the other. */
function hasSameOrder(before: Document, after: Document): boolean {
  const kept = Object.keys(before).filter((name) => name in after)
  const names = Object.keys(after)
  return kept.every((name, i) => name === names[i])
}

/** Numbers of different types are equal, but not identical. */
function isIdentical(before: Value, after: Value): boolean {
  if (getType(before) !== getType(after)) return false
  return encodeDocument(toDocument({ before })).equals(
    encodeDocument(toDocument({ before: after })),
  )
}
