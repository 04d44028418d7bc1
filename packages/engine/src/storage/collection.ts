import { Long } from 'bson'
import { decodeDocument } from '../bson/decode.ts'
import { encodeDocument } from '../bson/encode.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { toDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { collectPaths, parseFilter } from '../filter/filter.ts'
import type { Filter } from '../filter/filter.ts'
import { compileFilter } from '../filter/match.ts'
import type { Matcher } from '../filter/match.ts'
import { splitPath, getTopFields } from '../filter/paths.ts'
import { normalizePartial, makePartialKey } from './partial-form.ts'
import { findPlaceFields } from './place-bands.ts'
import type { PlaceFields } from './place-bands.ts'
import { encodeNumberKey } from './store.ts'
import type { Store } from './store.ts'

export interface IndexField {
  readonly path: string
  readonly parts: readonly string[]
  readonly direction: 1 | -1
}

export interface PartialIndex {
  readonly filter: Filter
  readonly matches: Matcher
  readonly key: string
}

export interface Index {
  readonly id: number
  readonly name: string
  readonly spec: Document
  readonly fields: readonly IndexField[]
  readonly directions: readonly number[]
  readonly unique: boolean
  readonly sparse: boolean
  readonly partial: PartialIndex | null
  /** The top-level fields that determine a document's entries. Null if unknown. */
  readonly reads: ReadonlySet<string> | null
  /** Per component: true if any document ever had an array there. */
  readonly multikey: boolean[]
  /** True if any key was ever cut. Cut keys are not fully ordered. */
  hasCutKeys: boolean
  /** If present, keys begin with the band of the longitude. */
  readonly places: PlaceFields | null
  /** True if any key was ever not enough to decide a polygon. */
  hasOddPlaces: boolean
  readonly keyForm: number
  /** The commit that built the index. Older snapshots have none of its entries. */
  builtAt: number
}

export interface Record {
  readonly id: number
  readonly bytes: Buffer
  document?: Document
  readonly partial?: Document
}

export type Residents = Map<number, Record>

export interface Collection {
  readonly id: number
  readonly database: string
  readonly name: string
  readonly namespace: string
  readonly options: Document
  indexes: Index[]
  /** False until the first commit: an aborted transaction leaves no collection. */
  exists: boolean
  nextRecord: number
  count: number
  changedAt: number
  residents: Residents | null
  /** Set by `shardCollection`, see `Strictness`. */
  shardKey: readonly string[] | null
}

/**
 * Form 1 stored missing values in arrays of documents as undefined, descended into nested arrays,
 * and kept missing values in sparse indexes. Form 2 had no bands of longitude.
 */
export const KEY_FORM = 3

function flags(value: Value): boolean[] {
  return Array.isArray(value) ? value.map((flag) => flag === true) : []
}

type IndexState = Pick<Index, 'multikey' | 'hasCutKeys' | 'hasOddPlaces' | 'keyForm'>

const NEW_INDEX_STATE: IndexState = {
  multikey: [],
  hasCutKeys: false,
  hasOddPlaces: false,
  keyForm: KEY_FORM,
}

export function describeIndex(
  id: number,
  spec: Document,
  known: IndexState = NEW_INDEX_STATE,
): Index {
  const key = spec['key'] as Document
  const fields = Object.keys(key).map((path): IndexField => {
    const sign = key[path]
    return {
      path,
      parts: splitPath(path),
      direction: isNumber(sign) && toDouble(sign) < 0 ? -1 : 1,
    }
  })
  const partial = spec['partialFilterExpression'] as Document | undefined
  const filter = partial && parseFilter(partial)
  return {
    id,
    name: spec['name'] as string,
    spec: filter
      ? toDocument({ ...spec, partialFilterExpression: normalizePartial(filter) })
      : spec,
    fields,
    directions: fields.map(({ direction }) => direction),
    unique: spec['unique'] === true || spec['name'] === ID_INDEX,
    sparse: spec['sparse'] === true,
    reads: fieldsRead(fields, filter),
    partial: filter
      ? { filter, matches: compileFilter(filter), key: makePartialKey(filter) }
      : null,
    multikey: fields.map((_, i) => known.multikey[i] ?? false),
    hasCutKeys: known.hasCutKeys,
    places: findPlaceFields(fields),
    hasOddPlaces: known.hasOddPlaces,
    keyForm: known.keyForm,
    builtAt: 0,
  }
}

function fieldsRead(
  fields: readonly IndexField[],
  filter: Filter | undefined,
): ReadonlySet<string> | null {
  const paths = new Set(fields.map(({ path }) => path))
  return filter && !collectPaths(filter, paths) ? null : getTopFields(paths)
}

export const ID_INDEX = '_id_'

export function makeIdIndexSpec(): Document {
  return toDocument({ v: 2, key: toDocument({ _id: 1 }), name: ID_INDEX })
}

export function saveCollection(store: Store, collection: Collection): void {
  const description = toDocument({
    database: collection.database,
    name: collection.name,
    options: collection.options,
    indexes: collection.indexes.map((index) =>
      toDocument({
        id: Long.fromNumber(index.id),
        spec: index.spec,
        multikey: index.multikey,
        cut: index.hasCutKeys,
        odd: index.hasOddPlaces,
        form: KEY_FORM,
      }),
    ),
  })
  store.put(store.catalog, encodeNumberKey(collection.id), encodeDocument(description))
}

export function countStoredRecords(store: Store, id: number): number {
  return store.records.getKeysCount({ start: encodeNumberKey(id), end: encodeNumberKey(id + 1) })
}

export function loadCollection(store: Store, id: number, bytes: Buffer): Collection {
  const [last] = store.records.getKeys({
    start: encodeNumberKey(id + 1),
    end: encodeNumberKey(id),
    reverse: true,
    limit: 1,
  })
  return {
    ...describeCollection(id, bytes),
    nextRecord: last ? last.readUInt32BE(4) + 1 : 1,
    count: countStoredRecords(store, id),
  }
}

export function describeCollection(
  id: number,
  bytes: Buffer,
): Omit<Collection, 'nextRecord' | 'count'> {
  const description = decodeDocument(bytes)
  const [database, name] = [description['database'] as string, description['name'] as string]
  const indexes = description['indexes'] as Document[]
  return {
    id,
    database,
    name,
    namespace: `${database}.${name}`,
    options: description['options'] as Document,
    indexes: indexes.map((index) =>
      describeIndex((index['id'] as Long).toNumber(), index['spec'] as Document, {
        multikey: flags(index['multikey']),
        hasCutKeys: index['cut'] === true,
        hasOddPlaces: index['odd'] === true,
        keyForm: typeof index['form'] === 'number' ? index['form'] : 1,
      }),
    ),
    exists: true,
    changedAt: 0,
    residents: null,
    shardKey: null,
  }
}
