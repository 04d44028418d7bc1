import { createHash } from 'node:crypto'
import { encodeKey } from '../bson/encode-key.ts'
import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import { makeKeyTuples, followPath } from '../filter/key-tuples.ts'
import type { Index } from './collection.ts'
import { BAND_BYTES, bandOf } from './place-bands.ts'

/** LMDB limits keys to 1,978 bytes. An entry uses 4 for the index, 2 for a band and 4 for the record. */
export const MAX_KEY_BYTES = 1900
const HASH_BYTES = 16

export interface IndexKey {
  readonly values: readonly Value[]
  /** Starts with the number of the index, and the band. The number of the record is not included. */
  readonly bytes: Buffer
}

/** Cuts a key that is too long and appends a hash, which keeps keys distinct but not ordered. */
function entryKey(index: Index, values: readonly Value[]): Buffer {
  const key = encodeKey(values, index.directions)
  const prefix = keyPrefix(index, index.places && bandOf(values[index.places.east]))
  if (key.length <= MAX_KEY_BYTES) return Buffer.concat([prefix, key])
  const hash = createHash('sha256').update(key).digest().subarray(0, HASH_BYTES)
  return Buffer.concat([prefix, key.subarray(0, MAX_KEY_BYTES - HASH_BYTES), hash])
}

export function isCut(key: IndexKey, index: Index): boolean {
  return key.bytes.length === MAX_KEY_BYTES + prefixBytes(index)
}

const INDEX_BYTES = 4

export function prefixBytes({ places }: Index): number {
  return INDEX_BYTES + (places ? BAND_BYTES : 0)
}

/** @param band null for the keys of all bands */
export function keyPrefix({ id }: Index, band: number | null): Buffer {
  const prefix = Buffer.allocUnsafe(INDEX_BYTES + (band === null ? 0 : BAND_BYTES))
  prefix.writeUInt32BE(id, 0)
  if (band !== null) prefix.writeUInt16BE(band, INDEX_BYTES)
  return prefix
}

function isPlainValue(value: Value): boolean {
  return !Array.isArray(value) && !isDocument(value)
}

// A fast path for top-level scalars, which most indexes contain.
function simpleValues(index: Index, document: Document): Value[] | null {
  const values: Value[] = []
  for (const { path, parts } of index.fields) {
    const value = document[path]
    if (parts.length > 1 || !isPlainValue(value)) return null
    values.push(value ?? null)
  }
  return values
}

export function findArrayFields(index: Index, document: Document): boolean[] {
  return index.fields.map(({ parts }) => followPath(document, parts).rest !== null)
}

export function makeIndexKeys(index: Index, document: Document): IndexKey[] {
  if (index.partial && !index.partial.matches(document)) return []
  const simple = simpleValues(index, document)
  if (simple) return index.sparse && isBare(index, document) ? [] : [keyOf(index, simple)]
  const paths = index.fields.map(({ parts }) => parts)
  const { tuples, missing } = makeKeyTuples(document, paths, parallelArrays)
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
