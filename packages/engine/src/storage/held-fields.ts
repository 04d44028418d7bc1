import { decodeFields } from '../bson/decode.ts'
import type { Document } from '../bson/values.ts'
import type { Collection, Record } from './collection.ts'
import { encodeNumberKey, readRange } from './store.ts'
import type { Store } from './store.ts'

/**
 * Caches some fields of a collection that is too large for memory, so that further scans and sorts
 * need no decoding. Filled in record order, as far as scans have read.
 */
export interface HeldFields {
  readonly fields: ReadonlySet<string>
  readonly documents: Map<number, Document>
  upTo: number
  isWhole: boolean
  isFull: boolean
  bytes: number
}

/** For all collections together, as estimated by `sizeOf`. */
const BUDGET_BYTES = 64 * 1024 * 1024
const MAX_HELD_FIELDS = 12

const FIELD_BYTES = 24
const DOCUMENT_BYTES = 80

function sizeOf(document: Document): number {
  let bytes = DOCUMENT_BYTES
  for (const name of Object.keys(document)) {
    const value = document[name]
    bytes += FIELD_BYTES
    if (typeof value === 'string') bytes += value.length
    else if (typeof value === 'object' && value !== null) bytes += 4 * FIELD_BYTES
  }
  return bytes
}

class HeldRecord implements Record {
  readonly id: number
  readonly partial: Document
  readonly #store: Store
  readonly #collection: Collection
  #bytes: Buffer | null = null

  constructor(store: Store, collection: Collection, id: number, partial: Document) {
    this.#store = store
    this.#collection = collection
    this.id = id
    this.partial = partial
  }

  get bytes(): Buffer {
    this.#bytes ??= this.#store.records.get(encodeNumberKey(this.#collection.id, this.id)) ?? null
    if (!this.#bytes) throw new Error('a record that is held in part is gone')
    return this.#bytes
  }
}

export interface HeldFieldsCache {
  /** Yields all records of the newest commit in natural order, each with at least these fields. */
  scan(collection: Collection, wanted: ReadonlySet<string>): Generator<Record>
  changed(collection: Collection, record: number, bytes: Buffer | null): void
  drop(collection: Collection): void
}

interface State {
  readonly store: Store
  readonly budget: number
  readonly held: Map<Collection, HeldFields>
}

function total({ held }: State): number {
  return [...held.values()].reduce((sum, { bytes }) => sum + bytes, 0)
}

function put(held: HeldFields, id: number, document: Document): void {
  const before = held.documents.get(id)
  held.bytes += sizeOf(document) - (before ? sizeOf(before) : 0)
  held.documents.set(id, document)
}

/** A full cache of fields that are no longer requested is replaced. */
function servesWell({ fields, isFull }: HeldFields, wanted: ReadonlySet<string>): boolean {
  const hasAll = [...wanted].every((name) => fields.has(name))
  return hasAll && !(isFull && wanted.size * 2 <= fields.size)
}

function open(state: State, collection: Collection, wanted: ReadonlySet<string>): HeldFields {
  const known = state.held.get(collection)
  state.held.delete(collection)
  const isEnough = known && servesWell(known, wanted)
  const fields = new Set([...(known?.isFull === false ? known.fields : []), ...wanted])
  const held: HeldFields = isEnough
    ? known
    : {
        fields: fields.size > MAX_HELD_FIELDS ? wanted : fields,
        documents: new Map(),
        upTo: 0,
        isWhole: false,
        isFull: false,
        bytes: 0,
      }
  state.held.set(collection, held)
  return held
}

function hasRoom(state: State, keep: HeldFields): boolean {
  for (const [collection, held] of state.held) {
    if (total(state) < state.budget) return true
    if (held !== keep) state.held.delete(collection)
  }
  return total(state) < state.budget
}

const CHECK_BUDGET_EVERY = 1024

/** Adds the records of a scan while the collection is unchanged. */
function* grow(
  state: State,
  collection: Collection,
  held: HeldFields,
  from: number,
): Generator<Record> {
  const { store } = state
  const startedAt = collection.changedAt
  // A slow reader may pause while records change or the cache is evicted.
  const isCurrent = (): boolean =>
    collection.changedAt === startedAt && state.held.get(collection) === held
  const fits = (): boolean => !(held.isFull = !hasRoom(state, held))
  let grows = isCurrent() && fits()
  let read = 0
  const range = {
    low: encodeNumberKey(collection.id, from + 1),
    high: encodeNumberKey(collection.id + 1),
  }
  for (const { key, value } of readRange(store.records, range)) {
    const id = key.readUInt32BE(4)
    const partial = decodeFields(value, held.fields)
    if (++read % CHECK_BUDGET_EVERY === 0) grows &&= fits()
    grows &&= isCurrent()
    if (grows && id > held.upTo) {
      put(held, id, partial)
      held.upTo = id
    }
    yield { id, bytes: value, partial }
  }
  held.isWhole ||= grows && isCurrent()
}

function* scan(
  state: State,
  collection: Collection,
  wanted: ReadonlySet<string>,
): Generator<Record> {
  const held = open(state, collection, wanted)
  const { upTo, isWhole } = held
  for (const [id, document] of held.documents) {
    // Another scan may add records while this one pauses. This scan reads them from the file.
    if (id > upTo && !isWhole) break
    yield new HeldRecord(state.store, collection, id, document)
    // Evicted while this scan paused, so it no longer receives changes.
    if (state.held.get(collection) !== held) {
      yield* grow(state, collection, held, id)
      return
    }
  }
  if (!isWhole) yield* grow(state, collection, held, upTo)
}

function change({ held }: State, collection: Collection, id: number, bytes: Buffer | null): void {
  const mine = held.get(collection)
  if (!mine || (id > mine.upTo && !mine.isWhole)) return
  const before = mine.documents.get(id)
  if (bytes) put(mine, id, decodeFields(bytes, mine.fields))
  else if (before) {
    mine.bytes -= sizeOf(before)
    mine.documents.delete(id)
  }
}

export function createHeldFieldsCache(store: Store, budget = BUDGET_BYTES): HeldFieldsCache {
  const state: State = { store, budget, held: new Map() }
  return {
    scan: (collection, wanted) => scan(state, collection, wanted),
    changed: (collection, id, bytes) => change(state, collection, id, bytes),
    drop: (collection) => {
      state.held.delete(collection)
    },
  }
}
