import type { RangeOptions } from 'lmdb'
import { decodeDocument, decodeFields } from '../bson/decode.ts'
import type { Document } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import type { Collection, Record } from './collection.ts'
import type { KeyChanges } from './key-changes.ts'
import type { Data } from './database.ts'
import { encodeNumberKey, readRange } from './store.ts'
import type { Snapshot } from './store.ts'
import type { Table } from './writer.ts'

export interface Change {
  readonly collection: Collection
  readonly record: number
  readonly before: Buffer | null
  after: Buffer | null
  document: Document | null
  readonly keys: KeyChanges
}

/** The newest commit, or a snapshot plus the changes of its transaction. */
export interface View {
  readonly snapshot: Snapshot | null
  readonly at: number
  readonly changes: Map<Collection, Map<number, Change>>
}

export function createNewestView(): View {
  return { snapshot: null, at: Infinity, changes: new Map() }
}

function isNewest(view: View, collection: Collection): boolean {
  return view.snapshot === null || collection.changedAt <= view.at
}

function readBase(data: Data, view: View, collection: Collection, id: number): Record | null {
  if (collection.residents && isNewest(view, collection))
    return collection.residents.get(id) ?? null
  const bytes = data.store.records.get(
    encodeNumberKey(collection.id, id),
    view.snapshot ? { transaction: view.snapshot } : {},
  )
  return bytes ? { id, bytes } : null
}

// Iterating over a Map includes entries added during the iteration. Stops before those.
function* residentRecords(residents: ReadonlyMap<number, Record>, end: number): Generator<Record> {
  for (const record of residents.values()) {
    if (record.id >= end) return
    yield record
  }
}

function* baseRecords(data: Data, view: View, collection: Collection): Generator<Record> {
  const residents = isNewest(view, collection) ? data.residents.get(collection) : null
  if (residents) {
    yield* residentRecords(residents, collection.nextRecord)
    return
  }
  const range = {
    low: encodeNumberKey(collection.id),
    high: encodeNumberKey(collection.id + 1),
    snapshot: view.snapshot ?? undefined,
  }
  for (const { key, value } of readRange(data.store.records, range))
    yield { id: key.readUInt32BE(4), bytes: value }
}

export function canScanFields(data: Data, view: View, collection: Collection): boolean {
  return (
    view.snapshot === null &&
    !view.changes.has(collection) &&
    data.residents.get(collection) === null
  )
}

/** All records in natural order, which is the order of insertion. */
export function* scanRecords(data: Data, view: View, collection: Collection): Generator<Record> {
  const changes = view.changes.get(collection)
  for (const record of baseRecords(data, view, collection)) {
    const change = changes?.get(record.id)
    if (!change) yield record
    else if (change.after) yield { id: record.id, bytes: change.after }
  }
  if (changes) yield* insertedRecords(changes)
}

function* insertedRecords(changes: Map<number, Change>): Generator<Record> {
  for (const { before, after, record } of changes.values())
    if (!before && after) yield { id: record, bytes: after }
}

export function* iterateChangedRecords(view: View, collection: Collection): Generator<Record> {
  for (const { after, record } of view.changes.get(collection)?.values() ?? []) {
    if (after) yield { id: record, bytes: after }
  }
}

export interface Interval {
  readonly low: Buffer
  readonly high: Buffer
  /** True if a bound was cut, so that the interval also contains other keys. */
  readonly isWider?: boolean
}

export function countKeys(
  { store }: Data,
  { snapshot }: View,
  intervals: readonly Interval[],
  most: number,
): number {
  let count = 0
  for (const { low: start, high: end } of intervals) {
    if (count >= most) break
    const range = { start, end, ...(snapshot && { transaction: snapshot }) }
    count += countRange(store.entries, range, most - count)
  }
  return count
}

const FIRST_STEP = 64
const MAX_STEP = 4_096

function countRange(entries: Table, range: RangeOptions, most: number): number {
  if (most === Infinity) return entries.getKeysCount({ ...range })
  const rest = { ...range }
  let count = 0
  for (let step = FIRST_STEP; count < most; step = Math.min(2 * step, MAX_STEP)) {
    const taken = Math.min(step, most - count)
    const [next] = [...entries.getKeys({ ...rest, offset: taken, limit: 1 })]
    if (next === undefined) return count + entries.getKeysCount({ ...rest })
    rest.start = next
    count += taken
  }
  return count
}

/** Reading an entry is cheaper than reading a document. */
export const STEPS_PER_ENTRY = 0.25

export interface IndexScan {
  readonly intervals: readonly Interval[]
  readonly reverse: boolean
  /** Skips entries by their keys, before their records are read. */
  readonly accepts: ((key: Buffer) => boolean) | null
  readonly seen: Set<number>
}

function isSkipped(key: Buffer, accepts: IndexScan['accepts']): boolean {
  const skips = accepts !== null && !accepts(key)
  spend(skips ? STEPS_PER_ENTRY : 1)
  return skips
}

/** Yields unchanged records in index order, each once. */
export function* scanIndex(
  data: Data,
  view: View,
  collection: Collection,
  { intervals, reverse, accepts, seen }: IndexScan,
): Generator<Record> {
  const changes = view.changes.get(collection)
  // A record may move to another key while a slow reader pauses.
  for (const interval of reverse ? intervals.toReversed() : intervals) {
    const range = { ...interval, reverse, ...(view.snapshot && { snapshot: view.snapshot }) }
    for (const { key, value } of readRange(data.store.entries, range)) {
      if (isSkipped(key, accepts)) continue
      const id = value.readUInt32BE(0)
      if (seen.has(id) || changes?.has(id)) continue
      seen.add(id)
      const record = readBase(data, view, collection, id)
      if (record) yield record
    }
  }
}

export function readRecord(
  collection: Collection,
  record: Record,
  wanted: ReadonlySet<string> | null,
): Document {
  if (record.document) return record.document
  if (wanted && record.partial) return record.partial
  if (collection.residents?.get(record.id) === record)
    return (record.document = decodeDocument(record.bytes))
  return wanted ? decodeFields(record.bytes, wanted) : decodeDocument(record.bytes)
}

/** Does not use `partial`, which has only the fields that a scan has tested. */
export function readStoredFields(
  collection: Collection,
  record: Record,
  wanted: ReadonlySet<string> | null,
): Document {
  const { id, bytes, partial } = record
  return readRecord(collection, partial ? { id, bytes } : record, wanted)
}
