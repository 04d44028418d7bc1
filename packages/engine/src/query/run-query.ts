import type { Document } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import type { Variables } from '../expression/evaluate.ts'
import type { Collection, Record } from '../storage/collection.ts'
import type { Data } from '../storage/database.ts'
import { changedRecords, documentOfRecord, scanIndex, scanRecords } from '../storage/view.ts'
import type { View } from '../storage/view.ts'
import { collectPaths } from '../filter/filter.ts'
import type { Filter } from '../filter/filter.ts'
import { compileFilter } from '../filter/match.ts'
import type { Matcher } from '../filter/match.ts'
import { topFields } from '../filter/paths.ts'
import { choosePlan } from './plan.ts'
import type { Hint } from './hint.ts'
import type { ReadPlan } from './read-plan.ts'
import { compileSort, sortItems } from '../filter/sort.ts'
import type { Sort } from '../filter/sort.ts'

/** When a command must have ended, in milliseconds of the process's clock. */
export interface Deadline {
  readonly at: number
}

export const NO_DEADLINE: Deadline = { at: Infinity }

export function checkDeadline({ at }: Deadline): void {
  if (performance.now() > at)
    throw new CommandError('MaxTimeMSExpired', 'operation exceeded time limit')
}

export interface Query {
  readonly filter: Filter
  readonly sort: Sort
  readonly skip: number
  readonly limit: number
  /** What a caller needs decoded beside the filter's and sort's fields; null for whole documents. */
  readonly deadline: Deadline
  readonly variables?: Variables
  readonly hint?: Hint | null
  /** Takes part in explain. */
  readonly counts?: { examined: number; keys: number }
}

export interface Source {
  readonly data: Data
  readonly view: View
  readonly collection: Collection
}

const CHECK_EVERY = 256

function wantedFields(query: Query): ReadonlySet<string> | null {
  const paths = new Set<string>()
  if (!collectPaths(query.filter, paths)) return null
  for (const { path } of query.sort) paths.add(path)
  return topFields(paths)
}

function* matching(
  source: Source,
  records: Iterable<Record>,
  query: Query,
  test: { matches: Matcher; wanted: ReadonlySet<string> | null },
): Generator<Record> {
  let examined = 0
  for (const record of records) {
    if (++examined % CHECK_EVERY === 0) checkDeadline(query.deadline)
    if (query.counts) query.counts.examined++
    if (test.matches(documentOfRecord(source.collection, record, test.wanted), query.variables))
      yield record
  }
}

function* readPlan({ data, view, collection }: Source, plan: ReadPlan | null): Generator<Record> {
  if (!plan) {
    yield* scanRecords(data, view, collection)
    return
  }
  // A record may stand under several keys, in one index or in several.
  const seen = new Set<number>()
  for (const { intervals, reverse } of plan.kind === 'index' ? [plan] : plan.branches)
    yield* scanIndex(data, view, collection, { intervals, reverse, seen })
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

export const planQuery = (source: Source, query: Query): ReadPlan | null =>
  choosePlan(source.collection, query.filter, {
    sort: query.sort,
    isLimited: query.limit !== Infinity,
    variables: query.variables,
    hint: query.hint ?? null,
    at: source.view.at,
  })

/** The records that match, in order, without the skipped ones. */
export function runQuery(source: Source, query: Query): Iterable<Record> {
  const { view, collection } = source
  const plan = planQuery(source, query)
  const test = { matches: compileFilter(query.filter), wanted: wantedFields(query) }
  const hasChanges = view.changes.has(collection)
  const base = readPlan(source, plan)
  const records = plan && hasChanges ? concat(base, changedRecords(view, collection)) : base
  const found = matching(source, records, query, test)
  const isInOrder = query.sort.length === 0 || (plan?.isSorted === true && !hasChanges)
  if (isInOrder)
    return query.skip === 0 && query.limit === Infinity
      ? found
      : page(found, query.skip, query.limit)
  const sorter = compileSort(query.sort)
  const document = (record: Record): Document => documentOfRecord(collection, record, test.wanted)
  const sorted = sortItems(found, document, sorter, query.limit + query.skip)
  return query.skip === 0 ? sorted : sorted.slice(query.skip)
}
