import { countRecords, describeCollection } from './collection.ts'
import type { Collection } from './collection.ts'
import type { Data } from './database.ts'
import { residentCache } from './residents.ts'
import type { Store } from './store.ts'

/** What is held in memory is lost with each commit of the other: decoding all of more costs more than reading it. */
const BUDGET_BYTES = 8 * 1024 * 1024

/** The collections of a folder that another process writes to. */
export interface Replica {
  readonly data: Data
  /** To be called before each command: it then sees all that was committed by now. */
  refresh(): void
}

interface Known {
  readonly description: Buffer
  readonly collection: Collection
}

export function openReplica(store: Store): Replica {
  const data: Data = {
    store,
    residents: residentCache(store, BUDGET_BYTES),
    collections: new Map(),
    locks: new Map(),
    commits: 0,
    nextCollection: 0,
    nextIndex: 0,
  }
  const known = new Map<number, Known>()
  let seen = NaN
  return {
    data,
    refresh: () => {
      // Asked before and after the reading begins: what is committed between the two is seen or not.
      const before = store.lastCommit()
      store.endRead()
      readCatalog(data, known)
      const after = store.lastCommit()
      if (seen !== after)
        for (const { collection } of known.values()) data.residents.drop(collection)
      seen = before === after ? after : NaN
    },
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
    // Records that come while others are read are in none of what is held in memory.
    nextRecord: Infinity,
    get count() {
      return countRecords(store, id)
    },
  }
}
