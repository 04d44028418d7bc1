import { ObjectId } from 'bson'
import { decodeDocument } from '../bson/decode.ts'
import { checkId } from './check-id.ts'
import { cloneValue, toDocument, createDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import type { Filter } from '../filter/filter.ts'
import { compileFilter } from '../filter/match.ts'
import { splitPath } from '../filter/paths.ts'
import type { Hint } from '../query/hint.ts'
import { runQuery } from '../query/run-query.ts'
import type { Sort } from '../filter/sort.ts'
import type { Collection, Record } from '../storage/collection.ts'
import type { Data } from '../storage/database.ts'
import { insertRecord, replaceRecord } from '../storage/write-unit.ts'
import type { WriteUnit } from '../storage/write-unit.ts'
import { encodeChecked } from './apply-update.ts'
import type { ParsedUpdate } from './parse-update.ts'
import { resolveTargets, setTarget } from './update-paths.ts'

export interface UpdatePlace {
  readonly data: Data
  readonly unit: WriteUnit
  readonly collection: Collection
}

export interface UpdateStatement {
  readonly filter: Document
  readonly update: ParsedUpdate
  readonly multi: boolean
  readonly upsert: boolean
  readonly sort?: Sort
  readonly hint?: Hint | null
}

export interface UpdateResult {
  readonly matched: number
  readonly modified: number
  readonly upsertedId?: Value
  /** The document before and after a single update. `before` is null after an upsert. */
  readonly before: Buffer | null
  readonly after: Buffer | null
}

function filtersOn(filter: Filter, prefix: string): Filter[] {
  if (filter.kind === 'all' || filter.kind === 'any')
    return filter.of.flatMap((child) => filtersOn(child, prefix))
  if (!('path' in filter)) return []
  return filter.path === prefix || filter.path.startsWith(`${prefix}.`) ? [filter] : []
}

/** For `$`: the first element that alone satisfies a condition of the filter on the array. */
function positionIn(
  document: Document,
  filter: Filter,
  arrayPath: readonly string[],
): number | null {
  const path = arrayPath.join('.')
  const options = { creates: false, arrayFilters: new Map(), positionOf: () => null }
  for (const condition of filtersOn(filter, path)) {
    const matches = compileFilter(condition)
    const copy = cloneValue(document)
    const [target] = resolveTargets(copy, arrayPath, options)
    const array =
      target &&
      (Array.isArray(target.holder) ? target.holder[Number(target.key)] : target.holder[target.key])
    if (!target || !Array.isArray(array)) continue
    const position = array.findIndex((element) => {
      setTarget(target, [element])
      return matches(copy)
    })
    if (position >= 0) return position
  }
  return null
}

const MISSING = Symbol('missing')

function onlyValue(filter: Filter): Value | typeof MISSING {
  if (filter.kind === 'compare' && filter.operator === '$eq') return filter.operand
  return filter.kind === 'in' && filter.operands.length === 1 ? filter.operands[0] : MISSING
}

function seed(filter: Filter, document: Document): void {
  const isAll = filter.kind === 'all' || (filter.kind === 'any' && filter.of.length === 1)
  if (isAll) filter.of.forEach((child) => seed(child, document))
  const value = onlyValue(filter)
  if (!('path' in filter) || value === MISSING) return
  const options = { creates: true, arrayFilters: new Map(), positionOf: () => null }
  for (const target of resolveTargets(document, splitPath(filter.path), options)) {
    if (target.key in target.holder) {
      throw new CommandError(
        'NotSingleValueField',
        `cannot infer query fields to set, path '${filter.path}' is matched twice`,
      )
    }
    setTarget(target, cloneValue(value))
  }
}

function upsertDocument(filter: Filter, update: ParsedUpdate): Document {
  const start = createDocument()
  seed(filter, start)
  const id = start['_id']
  const from =
    update.kind !== 'replacement' ? start : toDocument(id === undefined ? {} : { _id: id })
  const document = update.apply(from, { isInsert: true, positionOf: () => null })
  if (document['_id'] !== undefined) return document
  return toDocument({ _id: new ObjectId(), ...document })
}

function upsertRecord(place: UpdatePlace, filter: Filter, update: ParsedUpdate): UpdateResult {
  const document = upsertDocument(filter, update)
  checkId(document['_id'])
  const bytes = encodeChecked(document)
  insertRecord(place.data, place.unit, place.collection, bytes, document)
  return { matched: 0, modified: 0, upsertedId: document['_id'], before: null, after: bytes }
}

function updateRecord(
  place: UpdatePlace,
  record: Record,
  filter: Filter,
  update: ParsedUpdate,
): Buffer {
  const original = record.document ?? decodeDocument(record.bytes)
  const document = update.apply(original, {
    isInsert: false,
    positionOf: (path) => positionIn(original, filter, path),
  })
  const bytes = encodeChecked(document)
  if (!bytes.equals(record.bytes))
    replaceRecord(
      place.data,
      place.unit,
      place.collection,
      { id: record.id, bytes: record.bytes, document: original },
      { bytes, document, kind: update.kind === 'replacement' ? 'replace' : 'update' },
    )
  return bytes
}

export function updateRecords(
  place: UpdatePlace,
  { filter, update, multi, upsert, sort = [], hint = null }: UpdateStatement,
): UpdateResult {
  const { data, unit, collection } = place
  const parsed = parseFilter(filter)
  const records = [
    ...runQuery(
      { data, view: unit, collection },
      { filter: parsed, sort, skip: 0, limit: multi ? Infinity : 1, hint },
    ),
  ]
  if (records.length === 0 && upsert) return upsertRecord(place, parsed, update)
  let modified = 0
  let last: Buffer | null = null
  for (const record of records) {
    last = updateRecord(place, record, parsed, update)
    modified += Number(!last.equals(record.bytes))
  }
  return { matched: records.length, modified, before: records[0]?.bytes ?? null, after: last }
}
