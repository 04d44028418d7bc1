import { createHash } from 'node:crypto'
import { encodeKey } from '../bson/encode-key.ts'
import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import { arrayIndex } from '../filter/paths.ts'
import type { Index } from './collection.ts'

/** LMDB's keys end at 1,978 bytes, of which an entry spends 4 on its index and 4 on its record. */
export const LONGEST_KEY = 1900
const HASH_BYTES = 16

export interface IndexKey {
  readonly values: readonly Value[]
  /** With the index's number in front, without the record's behind. */
  readonly bytes: Buffer
}

/** A key cut to what fits; those that begin alike are told apart by a hash and no longer ordered. */
function entryKey(index: Index, values: readonly Value[]): Buffer {
  const key = encodeKey(values, index.directions)
  const prefix = Buffer.allocUnsafe(4)
  prefix.writeUInt32BE(index.id, 0)
  if (key.length <= LONGEST_KEY) return Buffer.concat([prefix, key])
  const hash = createHash('sha256').update(key).digest().subarray(0, HASH_BYTES)
  return Buffer.concat([prefix, key.subarray(0, LONGEST_KEY - HASH_BYTES), hash])
}

export const isCut = (key: IndexKey): boolean => key.bytes.length === LONGEST_KEY + 4

interface Reached {
  readonly value: Value
  /** What remains of the path when an array was met. */
  readonly rest: readonly string[] | null
}

function reach(value: Value, parts: readonly string[]): Reached {
  let current = value
  for (let at = 0; at < parts.length; at++) {
    if (Array.isArray(current)) {
      const index = arrayIndex(parts[at] ?? '')
      if (index === null || index >= current.length)
        return { value: current, rest: parts.slice(at) }
      current = current[index]
    } else if (isDocument(current)) current = current[parts[at] ?? '']
    else return { value: undefined, rest: null }
  }
  return Array.isArray(current) ? { value: current, rest: [] } : { value: current, rest: null }
}

type Slot =
  | { readonly done: true; readonly value: Value }
  | { readonly done: false; readonly from: Value; readonly path: readonly string[] }

function expand(slots: readonly Slot[], found: Value[][]): void {
  const reached = slots.map((slot) => (slot.done ? null : reach(slot.from, slot.path)))
  const arrays = new Set(reached.filter((at) => at?.rest).map((at) => at?.value))
  if (arrays.size > 1)
    throw new CommandError('CannotIndexParallelArrays', 'cannot index parallel arrays')
  const [array] = arrays as Set<Value[]>
  if (!array) {
    found.push(slots.map((slot, i) => (slot.done ? slot.value : reached[i]?.value)))
    return
  }
  // Undefined marks the empty array itself; a path through it is missing.
  const elements: readonly Value[] = array.length > 0 ? array : [undefined]
  for (const element of elements) {
    expand(
      slots.map((slot, i): Slot => {
        const at = reached[i]
        if (slot.done) return slot
        if (!at?.rest) return { done: true, value: at?.value ?? null }
        if (at.rest.length > 0) return { done: false, from: element, path: at.rest }
        return { done: true, value: element }
      }),
      found,
    )
  }
}

const isPlainValue = (value: Value): boolean => !Array.isArray(value) && !isDocument(value)

// Most indexes are over top-level scalars: no need to look for arrays there.
function simpleValues(index: Index, document: Document): Value[] | null {
  const values: Value[] = []
  for (const { path, parts } of index.fields) {
    const value = document[path]
    if (parts.length > 1 || !isPlainValue(value)) return null
    values.push(value ?? null)
  }
  return values
}

const isMissing = (index: Index, document: Document): boolean =>
  index.fields.every(({ parts }) => {
    const { value, rest } = reach(document, parts)
    return value === undefined && rest === null
  })

/** Which components of an index run through an array in this document. */
export const arrayFields = (index: Index, document: Document): boolean[] =>
  index.fields.map(({ parts }) => reach(document, parts).rest !== null)

/** The entries of a document in an index: none when the index leaves it out, several of an array. */
export function indexKeys(index: Index, document: Document): IndexKey[] {
  if (index.partial && !index.partial.matches(document)) return []
  if (index.sparse && isMissing(index, document)) return []
  const simple = simpleValues(index, document)
  if (simple) return [{ values: simple, bytes: entryKey(index, simple) }]
  const found: Value[][] = []
  expand(
    index.fields.map(({ parts }) => ({ done: false, from: document, path: parts })),
    found,
  )
  const keys = new Map<string, IndexKey>()
  const isArray = arrayFields(index, document)
  for (const tuple of found) {
    // Missing is indexed as null; only an element of an empty array stays undefined.
    const values = tuple.map((value, i) => (value === undefined && !isArray[i] ? null : value))
    const bytes = entryKey(index, values)
    keys.set(bytes.toString('latin1'), { values, bytes })
  }
  return [...keys.values()]
}
