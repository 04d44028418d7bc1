import type { Collection, Record, Residents } from './collection.ts'
import { createHeldFieldsCache } from './held-fields.ts'
import { encodeNumberKey, readRange } from './store.ts'
import type { Store } from './store.ts'

/** For all collections together. A decoded document takes about four times its bytes. */
const BUDGET_BYTES = 48 * 1024 * 1024

interface Holder {
  readonly collection: Collection
  bytes: number
}

/** Caches small collections, so that scans neither read nor decode. Evicts by least recent use. */
export interface ResidentCache {
  get(collection: Collection): Residents | null
  /** For larger collections: all records, with at least these fields (`partial`). */
  scanFields(collection: Collection, wanted: ReadonlySet<string>): Generator<Record>
  changed(collection: Collection, record: number, bytes: Buffer | null): void
  drop(collection: Collection): void
}

interface State {
  readonly store: Store
  readonly budget: number
  readonly holders: Map<Collection, Holder>
  /** A collection that was too large is loaded again after a quarter of its records were deleted. */
  readonly tooLarge: WeakMap<Collection, number>
  total: number
}

function drop(state: State, collection: Collection): void {
  state.total -= state.holders.get(collection)?.bytes ?? 0
  state.holders.delete(collection)
  collection.residents = null
}

function fit(state: State, keep: Collection): void {
  for (const { collection } of state.holders.values()) {
    if (state.total <= state.budget) return
    if (collection !== keep) drop(state, collection)
  }
  if (state.total > state.budget) drop(state, keep)
}

function load(state: State, collection: Collection): Residents | null {
  const tooLarge = state.tooLarge.get(collection)
  if (tooLarge !== undefined && collection.count > tooLarge * 0.75) return null
  const residents: Residents = new Map()
  let bytes = 0
  const range = { low: encodeNumberKey(collection.id), high: encodeNumberKey(collection.id + 1) }
  for (const { key, value } of readRange(state.store.records, range)) {
    const id = key.readUInt32BE(4)
    residents.set(id, { id, bytes: value })
    bytes += value.length
    if (bytes > state.budget / 2) {
      state.tooLarge.set(collection, collection.count)
      return null
    }
  }
  collection.residents = residents
  state.holders.set(collection, { collection, bytes })
  state.total += bytes
  fit(state, collection)
  return collection.residents
}

function change(state: State, collection: Collection, id: number, bytes: Buffer | null): void {
  const holder = state.holders.get(collection)
  if (!holder || !collection.residents) return
  const growth = (bytes?.length ?? 0) - (collection.residents.get(id)?.bytes.length ?? 0)
  if (bytes) collection.residents.set(id, { id, bytes })
  else collection.residents.delete(id)
  holder.bytes += growth
  state.total += growth
  if (state.total > state.budget) fit(state, collection)
}

export function createResidentCache(
  store: Store,
  budget = BUDGET_BYTES,
  held = createHeldFieldsCache(store),
): ResidentCache {
  const state: State = { store, budget, holders: new Map(), tooLarge: new WeakMap(), total: 0 }
  return {
    get(collection) {
      const holder = state.holders.get(collection)
      if (!holder) return load(state, collection)
      state.holders.delete(collection)
      state.holders.set(collection, holder)
      return collection.residents
    },
    scanFields: (collection, wanted) => held.scan(collection, wanted),
    changed(collection, id, bytes) {
      change(state, collection, id, bytes)
      held.changed(collection, id, bytes)
    },
    drop(collection) {
      drop(state, collection)
      held.drop(collection)
    },
  }
}
