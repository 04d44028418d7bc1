import { createHash } from 'node:crypto'
import { encodeKey } from '../bson/encode-key.ts'
import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import { keyTuples, reach } from '../filter/key-tuples.ts'
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

export function isCut(key: IndexKey): boolean {
  return key.bytes.length === LONGEST_KEY + 4
}

function isPlainValue(value: Value): boolean {
  return !Array.isArray(value) && !isDocument(value)
}

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

/** Which components of an index run through an array in this document. */
export function arrayFields(index: Index, document: Document): boolean[] {
  return index.fields.map(({ parts }) => reach(document, parts).rest !== null)
}

/** The entries of a document in an index: none when the index leaves it out, several of an array. */
export function indexKeys(index: Index, document: Document): IndexKey[] {
  if (index.partial && !index.partial.matches(document)) return []
  const simple = simpleValues(index, document)
  if (simple) return index.sparse && isBare(index, document) ? [] : [keyOf(index, simple)]
  const paths = index.fields.map(({ parts }) => parts)
  const { tuples, missing } = keyTuples(document, paths, parallelArrays)
  const keys = new Map<string, IndexKey>()
  for (const values of tuples) {
    if (index.sparse && missing.has(values)) continue
    const key = keyOf(index, values)
    keys.set(key.bytes.toString('latin1'), key)
  }
  return [...keys.values()]
}

function keyOf(index: Index, values: readonly Value[]): IndexKey {
  return {
    values,
    bytes: entryKey(index, values),
  }
}

function isBare(index: Index, document: Document): boolean {
  return index.fields.every(({ path }) => document[path] === undefined)
}

function parallelArrays(): CommandError {
  return new CommandError('CannotIndexParallelArrays', 'cannot index parallel arrays')
}
