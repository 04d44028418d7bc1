import type { Document } from '../bson/values.ts'
import { spend, spendOn } from '../deadline.ts'
import type { Variables } from '../expression/evaluate.ts'
import { CommandError } from '../errors.ts'
import type { Collection, Index, Record } from '../storage/collection.ts'
import type { Data } from '../storage/database.ts'
import {
  canScanFields,
  iterateChangedRecords,
  countKeys,
  readRecord,
  scanIndex,
  scanRecords,
} from '../storage/view.ts'
import type { View } from '../storage/view.ts'
import { collectPaths } from '../filter/filter.ts'
import type { Filter } from '../filter/filter.ts'
import { compileFilter } from '../filter/match.ts'
import type { Matcher } from '../filter/match.ts'
import { getTopFields } from '../filter/paths.ts'
import { compileKeyGuard } from './key-filter.ts'
import { choosePlan, type PlanMemory } from './plan.ts'
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
  /** The fields that the caller reads, besides those of filter and sort. Null means all. */
  readonly reads?: ReadonlySet<string> | null
  readonly counts?: { examined: number; keys: number }
  readonly memory?: PlanMemory | null
}

export interface QuerySource {
  readonly data: Data
  readonly view: View
  readonly collection: Collection
}

function wantedFields(query: Query): ReadonlySet<string> | null {
  const paths = new Set<string>()
  if (query.reads === null || !collectPaths(query.filter, paths)) return null
  for (const { path } of query.sort) paths.add(path)
  return new Set([...getTopFields(paths), ...(query.reads ?? [])])
}

function* matching(
  source: QuerySource,
  records: Iterable<Record>,
  query: Query,
  test: RecordTest,
): Generator<Record> {
  for (const record of records) {
    // A partial record is not loaded only to measure it.
    if (record.partial) spend()
    else spendOn(record.bytes.length)
    if (query.counts) query.counts.examined++
    if (test.matches(readRecord(source.collection, record, test.wanted), query.variables))
      yield record
  }
}

type Wanted = ReadonlySet<string> | null

interface RecordTest {
  readonly matches: Matcher
  readonly wanted: Wanted
}

/** If an index finds a larger share of the records, a full scan is faster. */
const MAX_INDEX_SHARE = 0.25

function leadsToMany({ data, view, collection }: QuerySource, plan: ReadPlan): boolean {
  if (plan.kind === 'union') return false
  const most = Math.ceil(collection.count * MAX_INDEX_SHARE)
  return countKeys(data, view, plan.intervals, most + 1) > most
}

function scansFields(
  source: QuerySource,
  plan: ReadPlan | null,
  query: Query,
  wanted: Wanted,
): boolean {
  const isSparing = query.limit !== Infinity || query.reads !== undefined
  const isInOrder = query.sort.length === 0 || plan?.isSorted !== true
  if (!isSparing || !isInOrder || !wanted || query.hint) return false
  const { data, view, collection } = source
  return canScanFields(data, view, collection) && (!plan || leadsToMany(source, plan))
}

function* readPlan(
  source: QuerySource,
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
  // A record may have several keys, in one index or in several.
  const seen = new Set<number>()
  for (const branch of plan.kind === 'index' ? [plan] : plan.branches) {
    const { index, intervals, reverse } = branch
    const accepts = compileKeyGuard(branch.open, index)
    yield* scanIndex(data, view, collection, { intervals, reverse, accepts, seen })
    assertStillThere(source, index)
  }
}

function assertStillThere({ data, view, collection }: QuerySource, index?: Index): void {
  // A snapshot keeps dropped data.
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

export function* takePage<T>(items: Iterable<T>, skip: number, limit: number): Generator<T> {
  let place = 0
  for (const item of items) {
    if (place++ < skip) continue
    yield item
    if (place - skip >= limit) return
  }
}

export function planQuery({ data, view, collection }: QuerySource, query: Query): ReadPlan | null {
  return choosePlan(collection, query.filter, {
    sort: query.sort,
    most: query.skip + query.limit,
    size: collection.count,
    variables: query.variables,
    hint: query.hint ?? null,
    at: view.at,
    countKeys: (intervals, most) => countKeys(data, view, intervals, most),
    memory: query.memory ?? null,
  })
}

/** Number of records that are read in index order before the share of matches is checked. */
const READS_BEFORE_CHECK = 2000
/** Reading in index order continues only while at least one of this many records matches. */
const MAX_READS_PER_MATCH = 16

function mayGiveUp(
  source: QuerySource,
  plan: ReadPlan,
  query: Query,
  { wanted }: RecordTest,
): boolean {
  const { data, view, collection } = source
  const isPage = plan.isSorted && query.skip + query.limit <= READS_BEFORE_CHECK
  // explain reports the plan as chosen.
  return (
    isPage &&
    !query.hint &&
    !query.counts &&
    wanted !== null &&
    canScanFields(data, view, collection)
  )
}

/** Null if so few records match that a scan with a sort is likely faster. */
function pageInOrder(
  source: QuerySource,
  { index, intervals, reverse, open }: IndexPlan,
  query: Query,
  test: RecordTest,
): readonly Record[] | null {
  const { data, view, collection } = source
  const found: Record[] = []
  let read = 0
  const accepts = compileKeyGuard(open, index)
  const scan = { intervals, reverse, accepts, seen: new Set<number>() }
  for (const record of scanIndex(data, view, collection, scan)) {
    if (++read > READS_BEFORE_CHECK && read > found.length * MAX_READS_PER_MATCH) return null
    if (!test.matches(readRecord(collection, record, test.wanted), query.variables)) continue
    found.push(record)
    if (found.length >= query.skip + query.limit) break
  }
  return found.slice(query.skip)
}

export function runQuery(source: QuerySource, query: Query): Iterable<Record> {
  const plan = planQuery(source, query)
  const test = { matches: compileFilter(query.filter), wanted: wantedFields(query) }
  if (plan?.kind === 'index' && mayGiveUp(source, plan, query, test))
    return pageInOrder(source, plan, query, test) ?? runUnordered(source, query, test)
  return runPlan(source, plan, query, test)
}

/** By the index that finds the fewest records, which are sorted afterwards. */
function runUnordered(source: QuerySource, query: Query, test: RecordTest): Iterable<Record> {
  const plan = planQuery(source, {
    ...query,
    sort: [],
    skip: 0,
    limit: Infinity,
    memory: null,
  })
  return runPlan(source, plan, query, test)
}

function runPlan(
  source: QuerySource,
  plan: ReadPlan | null,
  query: Query,
  test: RecordTest,
): Iterable<Record> {
  const { view, collection } = source
  const hasChanges = view.changes.has(collection)
  const base = readPlan(source, plan, query, test.wanted)
  const records = plan && hasChanges ? concat(base, iterateChangedRecords(view, collection)) : base
  const found = matching(source, records, query, test)
  const isInOrder = query.sort.length === 0 || (plan?.isSorted === true && !hasChanges)
  if (isInOrder)
    return query.skip === 0 && query.limit === Infinity
      ? found
      : takePage(found, query.skip, query.limit)
  const sorter = compileSort(query.sort)
  const document = (record: Record): Document => readRecord(collection, record, test.wanted)
  const sorted = sortItems(found, document, sorter, query.limit + query.skip).slice(query.skip)
  return query.reads === undefined ? sorted.map((record) => settled(record)) : sorted
}

/** Fixes the bytes of this commit, even if they are read later. */
function settled(record: Record): Record {
  return record.partial ? { id: record.id, bytes: record.bytes, partial: record.partial } : record
}
