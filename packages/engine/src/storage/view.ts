import type { RangeOptions } from 'lmdb'
import { decodeDocument, decodeFields } from '../bson/decode.ts'
import type { Document } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import type { Collection, Record } from './collection.ts'
import type { KeyChanges } from './key-changes.ts'
import type { Data } from './database.ts'
import { numberKey, readRange } from './store.ts'
import type { Snapshot } from './store.ts'
import type { Table } from './writer.ts'

export interface Change {
  readonly collection: Collection
  readonly record: number
  readonly before: Buffer | null
  after: Buffer | null
  /** What `after` decodes to. */
  document: Document | null
  /** As they were made when the change was checked. */
  readonly keys: KeyChanges
}

/** What a reader sees: the newest commit, or a snapshot with a transaction's own changes on top. */
export interface View {
  readonly snapshot: Snapshot | null
  /** How many commits the snapshot holds. */
  readonly at: number
  readonly changes: Map<Collection, Map<number, Change>>
}

export function newestView(): View {
  return { snapshot: null, at: Infinity, changes: new Map() }
}

function isNewest(view: View, collection: Collection): boolean {
  return view.snapshot === null || collection.changedAt <= view.at
}

function readBase(data: Data, view: View, collection: Collection, id: number): Record | null {
  if (collection.residents && isNewest(view, collection))
    return collection.residents.get(id) ?? null
  const bytes = data.store.records.get(
    numberKey(collection.id, id),
    view.snapshot ? { transaction: view.snapshot } : {},
  )
  return bytes ? { id, bytes } : null
}

// Iteration over a map goes on over what is added meanwhile: stop at what was there.
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
    low: numberKey(collection.id),
    high: numberKey(collection.id + 1),
    snapshot: view.snapshot ?? undefined,
  }
  for (const { key, value } of readRange(data.store.records, range))
    yield { id: key.readUInt32BE(4), bytes: value }
}

/** Whether a scan may be one of fields that are held (`ResidentCache.scanFields`). */
export function canScanFields(data: Data, view: View, collection: Collection): boolean {
  return (
    view.snapshot === null &&
    !view.changes.has(collection) &&
    data.residents.get(collection) === null
  )
}

/** All records in natural order: the order of insertion. */
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

/** Records that the view itself changed, which no index of the folder knows yet. */
export function* changedRecords(view: View, collection: Collection): Generator<Record> {
  for (const { after, record } of view.changes.get(collection)?.values() ?? []) {
    if (after) yield { id: record, bytes: after }
  }
}

/** A range of entries of an index: the lowest key, included, and the highest, left out. */
export interface Interval {
  readonly low: Buffer
  readonly high: Buffer
  /** It holds more than what was asked for, whose keys are longer than those that are kept. */
  readonly isWider?: boolean
}

/** How many entries lie in these intervals: as many as `most`, or all. */
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
const LARGEST_STEP = 4_096

/**
 * `getKeysCount` of lmdb takes no limit: it goes through all of a range. Its `offset` goes on beyond the end of one, so a
 * step that is longer than what is left reads entries of others. Steps of 64, then twice as many up to 4,096, read at
 * most about twice what they count.
 */
function countRange(entries: Table, range: RangeOptions, most: number): number {
  if (most === Infinity) return entries.getKeysCount({ ...range })
  const rest = { ...range }
  let count = 0
  for (let step = FIRST_STEP; count < most; step = Math.min(2 * step, LARGEST_STEP)) {
    const taken = Math.min(step, most - count)
    const [next] = [...entries.getKeys({ ...rest, offset: taken, limit: 1 })]
    if (next === undefined) return count + entries.getKeysCount({ ...rest })
    rest.start = next
    count += taken
  }
  return count
}

/** Which entries of an index are read, and how. */
export interface Scan {
  readonly intervals: readonly Interval[]
  readonly reverse: boolean
  /** Numbers of records that are not read again; grows. */
  readonly seen: Set<number>
}

/** Unchanged records in the order of the index; each once. */
export function* scanIndex(
  data: Data,
  view: View,
  collection: Collection,
  { intervals, reverse, seen }: Scan,
): Generator<Record> {
  const changes = view.changes.get(collection)
  // Also, a record may move to another key while a slow reader pauses.
  for (const interval of reverse ? intervals.toReversed() : intervals) {
    for (const { value } of readRange(data.store.entries, {
      ...interval,
      reverse,
      snapshot: view.snapshot ?? undefined,
    })) {
      spend()
      const id = value.readUInt32BE(0)
      if (seen.has(id) || changes?.has(id)) continue
      seen.add(id)
      const record = readBase(data, view, collection, id)
      if (record) yield record
    }
  }
}

/** The document of a record, or of one not held in memory only the wanted fields. */
export function documentOfRecord(
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
