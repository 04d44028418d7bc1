import { isNumber, toDouble } from '../bson/numbers.ts'
import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { badValue, typeMismatch } from '../errors.ts'
import type { Index } from '../storage/collection.ts'

export type Hint =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'key'; readonly key: Document }
  | { readonly kind: 'natural' }

/** @throws CommandError TypeMismatch, BadValue */
export function parseHint(value: Value): Hint | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return { kind: 'name', name: value }
  if (!isDocument(value)) throw typeMismatch("'hint' must be the name of an index or its key")
  const natural = value['$natural']
  if (natural === undefined)
    return Object.keys(value).length > 0 ? { kind: 'key', key: value } : null
  if (!isNumber(natural) || toDouble(natural) !== 1)
    throw badValue('a hint of $natural other than 1 is not supported')
  return { kind: 'natural' }
}

function hasKey(index: Index, key: Document): boolean {
  const paths = Object.keys(key)
  return (
    paths.length === index.fields.length &&
    index.fields.every(({ path, direction }, i) => {
      const wanted = key[path]
      return paths[i] === path && isNumber(wanted) && Math.sign(toDouble(wanted)) === direction
    })
  )
}

/** Null means natural order. @throws CommandError BadValue if the index does not exist */
export function findHintedIndex(indexes: readonly Index[], hint: Hint): Index | null {
  if (hint.kind === 'natural') return null
  const found = indexes.find((index) =>
    hint.kind === 'name' ? index.name === hint.name : hasKey(index, hint.key),
  )
  if (!found) throw badValue('hint provided does not correspond to an existing index')
  return found
}
