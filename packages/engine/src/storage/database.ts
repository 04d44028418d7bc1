import { CommandError } from '../errors.ts'
import { createDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'
import { createChangeLog } from './change-log.ts'
import type { ChangeLog } from './change-log.ts'
import { describeIndex, makeIdIndexSpec, loadCollection, saveCollection } from './collection.ts'
import type { Collection, Index } from './collection.ts'
import { openHistory } from './history.ts'
import type { History, Operation } from './history.ts'
import { createResidentCache } from './residents.ts'
import type { ResidentCache } from './residents.ts'
import { encodeNumberKey } from './store.ts'
import type { Store } from './store.ts'

export interface Data {
  readonly store: Store
  readonly residents: ResidentCache
  readonly collections: Map<string, Collection>
  /** Records and unique keys that an open transaction has written. Other writers must wait. */
  readonly locks: Map<string, LockHolder>
  readonly holders: Set<LockHolder>
  readonly changes: ChangeLog
  readonly history: History
  commits: number
  nextCollection: number
  nextIndex: number
}

export interface LockHolder {
  readonly read: Set<Collection>
  readonly written: Set<Collection>
  readonly ended: Promise<void>
}

export class BlockedError extends Error {
  readonly holder: LockHolder
  constructor(holder: LockHolder) {
    super('waiting for a transaction')
    this.holder = holder
  }
}

export function openData(store: Store): Data {
  const data: Data = {
    store,
    residents: createResidentCache(store),
    collections: new Map(),
    locks: new Map(),
    holders: new Set(),
    changes: createChangeLog(),
    history: openHistory(),
    commits: 0,
    nextCollection: 1,
    nextIndex: 1,
  }
  for (const { key, value } of store.catalog.getRange({})) {
    const collection = loadCollection(store, key.readUInt32BE(0), value)
    data.collections.set(collection.namespace, collection)
    data.nextCollection = Math.max(data.nextCollection, collection.id + 1)
    for (const index of collection.indexes) data.nextIndex = Math.max(data.nextIndex, index.id + 1)
  }
  return data
}

export function findCollection(data: Data, database: string, name: string): Collection | null {
  const collection = data.collections.get(`${database}.${name}`)
  return collection?.exists ? collection : null
}

function checkName(database: string, name: string): void {
  const isValid =
    name !== '' &&
    !name.includes('\0') &&
    !name.includes('$') &&
    !name.startsWith('.') &&
    !name.endsWith('.')
  if (!isValid) throw new CommandError('InvalidNamespace', `Invalid collection name: ${name}`)
  if (name.startsWith('system.'))
    throw new CommandError('InvalidNamespace', `Invalid system namespace: ${database}.${name}`)
  if (Buffer.byteLength(`${database}.${name}`) > 255) {
    throw new CommandError(
      'InvalidNamespace',
      `Fully qualified namespace is too long: ${database}.${name}`,
    )
  }
}

/** Returns the collection, or a new one that exists from the first commit to it. */
export function ensureCollection(
  data: Data,
  database: string,
  name: string,
  options?: Document,
): Collection {
  const namespace = `${database}.${name}`
  const known = data.collections.get(namespace)
  if (known) return known
  checkName(database, name)
  const collection: Collection = {
    id: data.nextCollection++,
    database,
    name,
    namespace,
    options: options ?? createDocument(),
    indexes: [describeIndex(data.nextIndex++, makeIdIndexSpec())],
    exists: false,
    nextRecord: 1,
    count: 0,
    changedAt: data.commits,
    residents: null,
    shardKey: null,
  }
  data.collections.set(namespace, collection)
  return collection
}

export function assertCollection(data: Data, database: string, name: string): Collection {
  const collection = findCollection(data, database, name)
  if (!collection)
    throw new CommandError('NamespaceNotFound', `ns does not exist: ${database}.${name}`)
  return collection
}

/** @throws BlockedError while an open transaction has written to the collection */
export function assertUnwritten(data: Data, collection: Collection): void {
  for (const holder of data.holders)
    if (holder.written.has(collection)) throw new BlockedError(holder)
}

/** @throws BlockedError while an open transaction has written to or read from the collection */
export function assertUnused(data: Data, collection: Collection): void {
  for (const holder of data.holders) if (holder.read.has(collection)) throw new BlockedError(holder)
  assertUnwritten(data, collection)
}

export function persistCollection(data: Data, collection: Collection): void {
  saveCollection(data.store, collection)
}

function removeRange(data: Data, table: 'records' | 'entries', id: number): void {
  const keys = [
    ...data.store[table].getKeys({ start: encodeNumberKey(id), end: encodeNumberKey(id + 1) }),
  ]
  data.store.removeAll(data.store[table], keys)
}

export function removeIndexEntries(data: Data, index: Index): void {
  removeRange(data, 'entries', index.id)
}

export function dropCollection(data: Data, collection: Collection): void {
  assertUnused(data, collection)
  data.store.write(() => {
    removeRange(data, 'records', collection.id)
    for (const index of collection.indexes) removeIndexEntries(data, index)
    data.store.remove(data.store.catalog, encodeNumberKey(collection.id))
  })
  data.residents.drop(collection)
  data.collections.delete(collection.namespace)
  collection.exists = false
  collection.count = 0
  const { database, name } = collection
  noteRemoval(data, { kind: 'drop', database, collection: name })
}

export function noteRemoval(
  { history }: Data,
  removal: Pick<Operation, 'kind' | 'database' | 'collection'>,
): void {
  history.add([{ ...removal, before: null, after: null }], null)
  history.commit()
}

/**
 * After an undone write. @throws CommandError FileStreamFailed if the folder must be reopened first
 */
export function recoverData(data: Data): void {
  data.store.assertSound()
  for (const collection of data.collections.values()) {
    if (collection.changedAt <= data.commits) continue
    data.residents.drop(collection)
    collection.changedAt = data.commits
    const bytes = data.store.catalog.get(encodeNumberKey(collection.id))
    collection.exists = bytes !== undefined
    if (!bytes) {
      collection.count = 0
      continue
    }
    const { indexes, count } = loadCollection(data.store, collection.id, bytes)
    // Older snapshots have no entries of the index.
    for (const index of indexes) index.builtAt = builtAt(collection, index.id)
    collection.indexes = indexes
    collection.count = count
  }
}

function builtAt({ indexes }: Collection, id: number): number {
  return indexes.find((index) => index.id === id)?.builtAt ?? 0
}
