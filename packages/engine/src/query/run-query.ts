import type { Document } from '../bson/values.ts'
import { spend, spendOn } from '../deadline.ts'
import type { Variables } from '../expression/evaluate.ts'
import { CommandError } from '../errors.ts'
import type { Collection, Index, Record } from '../storage/collection.ts'
import type { Data } from '../storage/database.ts'
import {
  canScanFields,
  changedRecords,
  countKeys,
  documentOfRecord,
  scanIndex,
  scanRecords,
} from '../storage/view.ts'
import type { View } from '../storage/view.ts'
import { collectPaths } from '../filter/filter.ts'
import type { Filter } from '../filter/filter.ts'
import { compileFilter } from '../filter/match.ts'
import type { Matcher } from '../filter/match.ts'
import { topFields } from '../filter/paths.ts'
import { choosePlan } from './plan.ts'
import type { Hint } from './hint.ts'
import type { IndexPlan, ReadPlan } from './read-plan.ts'
import { compileSort, sortItems } from '../filter/sort.ts'
import type { Sort } from '../filter/sort.ts'

export interface Query {
  readonly filter: Filter
  readonly sort: Sort
  readonly skip: number
  readonly limit: number
  readonly variables?: Variables
  readonly hint?: Hint | null
  /** The fields that a caller reads of the records' documents, beside those of filter and sort; null is all. */
  readonly reads?: ReadonlySet<string> | null
  /** Takes part in explain. */
  readonly counts?: { examined: number; keys: number }
}

export interface Source {
  readonly data: Data
  readonly view: View
  readonly collection: Collection
}

function wantedFields(query: Query): ReadonlySet<string> | null {
  const paths = new Set<string>()
  if (query.reads === null || !collectPaths(query.filter, paths)) return null
  for (const { path } of query.sort) paths.add(path)
  return new Set([...topFields(paths), ...(query.reads ?? [])])
}

function* matching(
  source: Source,
  records: Iterable<Record>,
  query: Query,
  test: RecordTest,
): Generator<Record> {
  for (const record of records) {
    // What is held in part is not read for the sake of its length.
    if (record.partial) spend()
    else spendOn(record.bytes.length)
    if (query.counts) query.counts.examined++
    if (test.matches(documentOfRecord(source.collection, record, test.wanted), query.variables))
      yield record
  }
}

type Wanted = ReadonlySet<string> | null

interface RecordTest {
  readonly matches: Matcher
  /** The fields to be decoded; null is all. */
  readonly wanted: Wanted
}

/** Reading every record is quicker than finding so large a part of them by an index, one by one. */
const FEW = 0.25

function leadsToMany({ data, view, collection }: Source, plan: ReadPlan): boolean {
  if (plan.kind === 'union') return false
  const most = Math.ceil(collection.count * FEW)
  return countKeys(data, view, plan.intervals, most + 1) > most
}

/** Whether to scan held fields: of a large collection, where few records are then read as a whole. */
function scansFields(source: Source, plan: ReadPlan | null, query: Query, wanted: Wanted): boolean {
  const isSparing = query.limit !== Infinity || query.reads !== undefined
  const isInOrder = query.sort.length === 0 || plan?.isSorted !== true
  if (!isSparing || !isInOrder || !wanted || query.hint) return false
  const { data, view, collection } = source
  return canScanFields(data, view, collection) && (!plan || leadsToMany(source, plan))
}

function* readPlan(
  source: Source,
  plan: ReadPlan | null,
  query: Query,
  wanted: Wanted,
): Generator<Record> {
  const { data, view, collection } = source
  if (wanted && scansFields(source, plan, query, wanted)) {
    yield* data.residents.scanFields(collection, wanted)
    assertStillThere(source)
    return
  }
  if (!plan) {
    yield* scanRecords(data, view, collection)
    assertStillThere(source)
    return
  }
  // A record may stand under several keys, in one index or in several.
  const seen = new Set<number>()
  for (const { index, intervals, reverse } of plan.kind === 'index' ? [plan] : plan.branches) {
    yield* scanIndex(data, view, collection, { intervals, reverse, seen })
    assertStillThere(source, index)
  }
}

/**
 * While a cursor waits for its next batch, what it reads may be dropped: what it has found by then is not all.
 * @throws CommandError QueryPlanKilled
 */
function assertStillThere({ data, view, collection }: Source, index?: Index): void {
  // A snapshot keeps it.
  if (view.snapshot) return
  const now = data.collections.get(collection.namespace)
  if (now?.id !== collection.id) throw killed(`collection ${collection.namespace} dropped`)
  if (index && !now.indexes.some(({ id }) => id === index.id))
    throw killed(`index '${index.name}' dropped`)
}

function killed(why: string): CommandError {
  return new CommandError('QueryPlanKilled', `query plan killed :: ${why}`)
}

function* concat(first: Iterable<Record>, second: Iterable<Record>): Generator<Record> {
  yield* first
  yield* second
}

export function* page<T>(items: Iterable<T>, skip: number, limit: number): Generator<T> {
  let place = 0
  for (const item of items) {
    if (place++ < skip) continue
    yield item
    if (place - skip >= limit) return
  }
}

export function planQuery({ data, view, collection }: Source, query: Query): ReadPlan | null {
  return choosePlan(collection, query.filter, {
    sort: query.sort,
    most: query.skip + query.limit,
    variables: query.variables,
    hint: query.hint ?? null,
    at: view.at,
    countKeys: (intervals, most) => countKeys(data, view, intervals, most),
  })
}

/** So many records are read in the order of an index before it matters how few of them match. */
const PATIENCE = 2000
/** Of so many records that are read one must match for an index to be read on. */
const LOWEST_YIELD = 16

function mayGiveUp(source: Source, plan: ReadPlan, query: Query, { wanted }: RecordTest): boolean {
  const { data, view, collection } = source
  const isPage = plan.isSorted && query.skip + query.limit <= PATIENCE
  // What is explained is explained as it was planned.
  return (
    isPage &&
    !query.hint &&
    !query.counts &&
    wanted !== null &&
    canScanFields(data, view, collection)
  )
}

/** A page in the order of an index; null where so few match that to read and sort all is likely to be quicker. */
function pageInOrder(
  source: Source,
  { intervals, reverse }: IndexPlan,
  query: Query,
  test: RecordTest,
): readonly Record[] | null {
  const { data, view, collection } = source
  const found: Record[] = []
  let read = 0
  for (const record of scanIndex(data, view, collection, { intervals, reverse, seen: new Set() })) {
    if (++read > PATIENCE && read > found.length * LOWEST_YIELD) return null
    if (!test.matches(documentOfRecord(collection, record, test.wanted), query.variables)) continue
    found.push(record)
    if (found.length >= query.skip + query.limit) break
  }
  return found.slice(query.skip)
}

/** The records that match, in order, without the skipped ones. */
export function runQuery(source: Source, query: Query): Iterable<Record> {
  const plan = planQuery(source, query)
  const test = { matches: compileFilter(query.filter), wanted: wantedFields(query) }
  if (plan?.kind === 'index' && mayGiveUp(source, plan, query, test))
    return pageInOrder(source, plan, query, test) ?? runPlan(source, null, query, test)
  return runPlan(source, plan, query, test)
}

function runPlan(
  source: Source,
  plan: ReadPlan | null,
  query: Query,
  test: RecordTest,
): Iterable<Record> {
  const { view, collection } = source
  const hasChanges = view.changes.has(collection)
  const base = readPlan(source, plan, query, test.wanted)
  const records = plan && hasChanges ? concat(base, changedRecords(view, collection)) : base
  const found = matching(source, records, query, test)
  const isInOrder = query.sort.length === 0 || (plan?.isSorted === true && !hasChanges)
  if (isInOrder)
    return query.skip === 0 && query.limit === Infinity
      ? found
      : page(found, query.skip, query.limit)
  const sorter = compileSort(query.sort)
  const document = (record: Record): Document => documentOfRecord(collection, record, test.wanted)
  const sorted = sortItems(found, document, sorter, query.limit + query.skip).slice(query.skip)
  return query.reads === undefined ? sorted.map((record) => settled(record)) : sorted
}

/** With the bytes of this commit, however late they are asked for. */
function settled(record: Record): Record {
  return record.partial ? { id: record.id, bytes: record.bytes, partial: record.partial } : record
}
