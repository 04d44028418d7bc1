import { decodeDocument } from '../bson/decode.ts'
import { toDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'
import { spendOn } from '../deadline.ts'
import { CommandError, writeConflict } from '../errors.ts'
import type { Collection, Index, Record } from './collection.ts'
import { BlockedError, persistCollection } from './database.ts'
import type { Data, LockHolder } from './database.ts'
import { findArrayFields, makeIndexKeys, isCut } from './index-keys.ts'
import type { IndexKey } from './index-keys.ts'
import type { Operation, OperationKind, Origin } from './history.ts'
import { addKeyChanges, makeKeyChange, NO_CHANGE, subtractKeys } from './key-changes.ts'
import type { KeyChange, KeyChanges, DocumentVersions } from './key-changes.ts'
import { describeValue } from './describe-value.ts'
import { isOddPlace } from './place-bands.ts'
import { encodeNumberKey } from './store.ts'
import type { Snapshot } from './store.ts'
import type { Change, View } from './view.ts'

/** Collected, checked one by one, and applied as a whole. */
export interface WriteUnit extends View {
  /** Unique keys that the unit claims (record number) or releases (null). */
  readonly keys: Map<string, number | null>
  /** Null outside of a transaction. */
  readonly holder: LockHolder | null
  /** In the order in which they were made. A record may have several. */
  readonly operations: Operation[]
}

export function createUnit(): WriteUnit {
  return {
    snapshot: null,
    at: Infinity,
    changes: new Map(),
    keys: new Map(),
    holder: null,
    operations: [],
  }
}

export function createTransactionUnit(
  snapshot: Snapshot,
  at: number,
  holder: LockHolder,
): WriteUnit {
  return {
    snapshot,
    at,
    changes: new Map(),
    keys: new Map(),
    holder,
    operations: [],
  }
}

// The first writer wins. A second writer fails inside a transaction and waits outside.
function lock(data: Data, unit: WriteUnit, key: string): void {
  const holder = data.locks.get(key)
  if (holder && holder !== unit.holder) {
    if (unit.holder) throw writeConflict()
    throw new BlockedError(holder)
  }
  if (unit.holder) data.locks.set(key, unit.holder)
}

function lockRecord(data: Data, unit: WriteUnit, collection: Collection, id: number): void {
  lock(data, unit, `${collection.id}/${id}`)
  if (!unit.snapshot || collection.changedAt <= unit.at) return
  const key = encodeNumberKey(collection.id, id)
  const seen = data.store.records.get(key, { transaction: unit.snapshot })
  const now = data.store.records.get(key)
  if ((seen === undefined) !== (now === undefined) || (seen && now && !seen.equals(now)))
    throw writeConflict()
}

export function duplicateKey(collection: Collection, index: Index, key: IndexKey): CommandError {
  const keyValue: Document = toDocument({})
  index.fields.forEach(({ path }, i) => (keyValue[path] = key.values[i] ?? null))
  const values = index.fields.map(({ path }, i) => `${path}: ${describeValue(key.values[i])}`)
  return new CommandError(
    'DuplicateKey',
    `E11000 duplicate key error collection: ${collection.namespace} index: ${index.name} dup key: { ${values.join(', ')} }`,
    { details: { keyPattern: index.spec['key'], keyValue } },
  )
}

function readHolder(data: Data, key: Buffer, snapshot?: Snapshot): number | null {
  const value = data.store.entries.get(key, snapshot ? { transaction: snapshot } : {})
  return value ? value.readUInt32BE(0) : null
}

function takeKey(
  data: Data,
  unit: WriteUnit,
  place: { collection: Collection; index: Index },
  key: IndexKey,
  id: number,
): void {
  const text = key.bytes.toString('latin1')
  const own = unit.keys.get(text)
  if (own !== undefined) {
    if (own !== null && own !== id) throw duplicateKey(place.collection, place.index, key)
  } else {
    lock(data, unit, text)
    const now = readHolder(data, key.bytes)
    if (
      unit.snapshot &&
      place.collection.changedAt > unit.at &&
      now !== readHolder(data, key.bytes, unit.snapshot)
    )
      throw writeConflict()
    if (now !== null && now !== id) throw duplicateKey(place.collection, place.index, key)
  }
  unit.keys.set(text, id)
}

function releaseKeys(data: Data, unit: WriteUnit, index: Index, keys: readonly IndexKey[]): void {
  if (!index.unique) return
  for (const { bytes } of keys) {
    const text = bytes.toString('latin1')
    if (!unit.keys.has(text)) lock(data, unit, text)
    unit.keys.set(text, null)
  }
}

function checkKeys(
  data: Data,
  unit: WriteUnit,
  collection: Collection,
  id: number,
  versions: DocumentVersions,
): KeyChanges {
  // Builds all keys before claiming any, so that a document that cannot be indexed changes no lock.
  const changes = collection.indexes.map((index) => ({
    index,
    change: makeKeyChange(index, versions),
  }))
  for (const { index, change } of changes) {
    if (!index.unique) continue
    const { before, after } = change
    for (const key of subtractKeys(after, before))
      takeKey(data, unit, { collection, index }, key, id)
    releaseKeys(data, unit, index, subtractKeys(before, after))
  }
  return new Map(changes.map(({ index, change }) => [index.id, change]))
}

function record(unit: WriteUnit, kind: OperationKind, change: Change): void {
  const { before, after } = change
  const { database, name } = change.collection
  unit.operations.push({ kind, database, collection: name, before, after })
  unit.holder?.written.add(change.collection)
  const changes = unit.changes.get(change.collection) ?? new Map<number, Change>()
  unit.changes.set(change.collection, changes)
  const known = changes.get(change.record)
  if (known) {
    known.after = change.after
    known.document = change.document
    addKeyChanges(known.keys, change.keys)
  } else changes.set(change.record, change)
}

export function insertRecord(
  data: Data,
  unit: WriteUnit,
  collection: Collection,
  bytes: Buffer,
  document: Document,
): void {
  const id = collection.nextRecord++
  const keys = checkKeys(data, unit, collection, id, { before: null, after: document })
  record(unit, 'insert', { collection, record: id, before: null, after: bytes, document, keys })
}

export function replaceRecord(
  data: Data,
  unit: WriteUnit,
  collection: Collection,
  old: Record,
  next: { bytes: Buffer; document: Document; kind?: 'update' | 'replace' },
): void {
  lockRecord(data, unit, collection, old.id)
  const keys = checkKeys(data, unit, collection, old.id, {
    before: old.document ?? decodeDocument(old.bytes),
    after: next.document,
  })
  record(unit, next.kind ?? 'update', {
    collection,
    record: old.id,
    before: old.bytes,
    after: next.bytes,
    document: next.document,
    keys,
  })
}

export function removeRecord(
  data: Data,
  unit: WriteUnit,
  collection: Collection,
  old: Record,
): void {
  lockRecord(data, unit, collection, old.id)
  const before = old.document ?? decodeDocument(old.bytes)
  const keys = checkKeys(data, unit, collection, old.id, { before, after: null })
  record(unit, 'delete', {
    collection,
    record: old.id,
    before: old.bytes,
    after: null,
    document: null,
    keys,
  })
}

function recordNumber(id: number): Buffer {
  return encodeNumberKey(id)
}

function storedKey(index: Index, key: IndexKey, id: Buffer): Buffer {
  return index.unique ? key.bytes : Buffer.concat([key.bytes, id])
}

/** Updates the facts that the planner uses. Returns true if they changed. */
function noteKeys(index: Index, document: Document, keys: readonly IndexKey[]): boolean {
  let isNews = false
  if (index.multikey.includes(false)) {
    findArrayFields(index, document).forEach((isArray, i) => {
      if (isArray && !index.multikey[i]) isNews = index.multikey[i] = true
    })
  }
  if (!index.hasCutKeys && keys.some((key) => isCut(key, index))) isNews = index.hasCutKeys = true
  if (index.places && !index.hasOddPlaces && isOddPlace(index.places, document))
    isNews = index.hasOddPlaces = true
  return isNews
}

export function addEntries(
  data: Data,
  index: Index,
  document: Document,
  record: number,
  keys = makeIndexKeys(index, document) as readonly IndexKey[],
): boolean {
  const id = recordNumber(record)
  for (const key of keys) data.store.put(data.store.entries, storedKey(index, key, id), id)
  return noteKeys(index, document, keys)
}

function removeEntries(data: Data, change: Change): void {
  const number = recordNumber(change.record)
  for (const index of change.collection.indexes) {
    const { before, after } = keysOf(change, index)
    for (const key of subtractKeys(before, after))
      data.store.remove(data.store.entries, storedKey(index, key, number))
  }
}

function applyEntries(data: Data, change: Change): boolean {
  let isNews = false
  const { document } = change
  if (!document) return false
  for (const index of change.collection.indexes) {
    const keys = keysOf(change, index)
    // Different values may have the same keys: an array of one element has the key of the element.
    if (keys === NO_CHANGE) continue
    const added = subtractKeys(keys.after, keys.before)
    if (addEntries(data, index, document, change.record, added)) isNews = true
  }
  return isNews
}

function keysOf({ keys }: Change, { id, name }: Index): KeyChange {
  const change = keys.get(id)
  if (!change) throw new Error(`the index ${name} was made while a unit was open`)
  return change
}

function applyRecord(data: Data, { collection, record: id, before, after }: Change): void {
  spendOn(after?.length ?? 0)
  const key = encodeNumberKey(collection.id, id)
  if (after) data.store.put(data.store.records, key, after)
  else if (before) data.store.remove(data.store.records, key)
  collection.count += Number(after !== null) - Number(before !== null)
  data.residents.changed(collection, id, after)
  data.changes.add(collection.id, id)
}

/** Removes all old entries before adding new ones, because a key may move between records. */
export function applyUnit(data: Data, unit: WriteUnit, origin: Origin | null = null): void {
  data.store.touch()
  data.history.add(unit.operations, origin)
  for (const [collection, changes] of unit.changes) {
    let isNews = !collection.exists
    // Set before the changes: if one of them fails, the memory of the collection is reloaded.
    collection.changedAt = data.commits + 1
    collection.exists = true
    for (const change of changes.values()) {
      if (change.before) removeEntries(data, change)
    }
    for (const change of changes.values()) {
      if (applyEntries(data, change)) isNews = true
      applyRecord(data, change)
    }
    if (isNews) persistCollection(data, collection)
  }
}
