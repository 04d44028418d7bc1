import { createChangeLog } from './change-log.ts'
import type { Changes } from './change-log.ts'
import { countStoredRecords, describeCollection } from './collection.ts'
import type { Collection } from './collection.ts'
import type { Data } from './database.ts'
import { openHistory } from './history.ts'
import { createResidentCache } from './residents.ts'
import { encodeNumberKey } from './store.ts'
import type { Store } from './store.ts'

/** Small, because each commit of the other process may invalidate the cache. */
const BUDGET_BYTES = 8 * 1024 * 1024

export interface Replica {
  readonly data: Data
  /** Call before each command, with consecutive news. Commands then see all commits so far. */
  refresh(news: CommitNews): void
}

export interface CommitNews {
  readonly commit: number
  readonly changes: Changes
}

interface Known {
  readonly description: Buffer
  readonly collection: Collection
}

export function openReplica(store: Store): Replica {
  const data: Data = {
    store,
    residents: createResidentCache(store, BUDGET_BYTES),
    collections: new Map(),
    locks: new Map(),
    holders: new Set(),
    changes: createChangeLog(),
    history: openHistory(),
    commits: 0,
    nextCollection: 0,
    nextIndex: 0,
  }
  const known = new Map<number, Known>()
  let seen = NaN
  return {
    data,
    refresh: ({ commit, changes }) => {
      // Compared before and after the read starts: a commit in between may be visible or not.
      const before = store.lastCommit()
      store.endRead()
      readCatalog(data, known)
      const after = store.lastCommit()
      // A commit after the news may have changed any record.
      const isKnown = before === after && after === commit && !Number.isNaN(seen)
      if (seen !== after) {
        for (const { collection } of known.values())
          readAgain(data, collection, isKnown ? changes.get(collection.id) : null)
      }
      seen = before === after ? after : NaN
    },
  }
}

function readAgain(
  data: Data,
  collection: Collection,
  records: readonly number[] | null | undefined,
): void {
  if (records === undefined) return
  collection.changedAt += 1
  if (records === null) {
    data.residents.drop(collection)
    return
  }
  for (const id of records.toSorted((a, b) => a - b)) {
    const bytes = data.store.records.get(encodeNumberKey(collection.id, id)) ?? null
    data.residents.changed(collection, id, bytes)
  }
}

function readCatalog(data: Data, known: Map<number, Known>): void {
  const gone = new Set(known.keys())
  for (const { key, value } of data.store.catalog.getRange({})) {
    const id = key.readUInt32BE(0)
    gone.delete(id)
    const before = known.get(id)
    if (before?.description.equals(value)) continue
    if (before) forget(data, before.collection)
    const collection = describe(data.store, id, value)
    known.set(id, { description: Buffer.from(value), collection })
    data.collections.set(collection.namespace, collection)
  }
  for (const id of gone) {
    const collection = known.get(id)?.collection
    if (collection) forget(data, collection)
    known.delete(id)
  }
}

function forget(data: Data, collection: Collection): void {
  data.residents.drop(collection)
  if (data.collections.get(collection.namespace) === collection)
    data.collections.delete(collection.namespace)
}

function describe(store: Store, id: number, bytes: Buffer): Collection {
  return {
    ...describeCollection(id, bytes),
    // No end is needed, because the cache gains no records during an iteration.
    nextRecord: Infinity,
    get count() {
      return countStoredRecords(store, id)
    },
  }
}
