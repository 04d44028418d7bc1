import type { Collection, Record } from './collection.ts'
import { numberKey, readRange } from './store.ts'
import type { Store } from './store.ts'

/** The records of one collection in memory, in their natural order. */
export type Residents = Map<number, Record>

/** What all of them together may take; a decoded document takes about four times its bytes. */
const BUDGET_BYTES = 48 * 1024 * 1024

interface Holder {
  readonly collection: Collection
  bytes: number
}

/** Keeps small collections in memory, so that scanning one reads and decodes nothing; the least used leave first. */
export interface ResidentCache {
  get(collection: Collection): Residents | null
  changed(collection: Collection, record: number, bytes: Buffer | null): void
  drop(collection: Collection): void
}

export function residentCache(store: Store): ResidentCache {
  const holders = new Map<Collection, Holder>()
  let total = 0

  const drop = (collection: Collection): void => {
    total -= holders.get(collection)?.bytes ?? 0
    holders.delete(collection)
    collection.residents = null
  }

  const fit = (keep: Collection): void => {
    for (const { collection } of holders.values()) {
      if (total <= BUDGET_BYTES) return
      if (collection !== keep) drop(collection)
    }
    if (total > BUDGET_BYTES) drop(keep)
  }

  // What was found too large is not tried again until it has lost a quarter.
  const tooLarge = new WeakMap<Collection, number>()

  const load = (collection: Collection): Residents | null => {
    if (collection.count > (tooLarge.get(collection) ?? Infinity) * 0.75) return null
    const residents: Residents = new Map()
    let bytes = 0
    for (const { key, value } of readRange(store.records, {
      low: numberKey(collection.id),
      high: numberKey(collection.id + 1),
    })) {
      const id = key.readUInt32BE(4)
      residents.set(id, { id, bytes: value })
      bytes += value.length
      if (bytes > BUDGET_BYTES / 2) {
        tooLarge.set(collection, collection.count)
        return null
      }
    }
    collection.residents = residents
    holders.set(collection, { collection, bytes })
    total += bytes
    fit(collection)
    return collection.residents
  }

  return {
    get(collection) {
      const holder = holders.get(collection)
      if (!holder) return load(collection)
      holders.delete(collection)
      holders.set(collection, holder)
      return collection.residents
    },
    changed(collection, id, bytes) {
      const holder = holders.get(collection)
      if (!holder || !collection.residents) return
      const change = (bytes?.length ?? 0) - (collection.residents.get(id)?.bytes.length ?? 0)
      if (bytes) collection.residents.set(id, { id, bytes })
      else collection.residents.delete(id)
      holder.bytes += change
      total += change
      if (total > BUDGET_BYTES) fit(collection)
    },
    drop,
  }
}
