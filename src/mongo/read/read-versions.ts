import type { Document } from 'mongodb'
import type { EntryQuery, Page, Query, VersionKey } from '../../query/query.ts'
import { buildFind, buildProjection, rangeOf } from './build-find.ts'
import { bothConditions, type Conditions, laterStages, NO_CONDITIONS } from './translate-filter.ts'
import { type Counted, countedOf, countVersions, type VersionPage } from './count-versions.ts'
import type { Database } from '../connection/database.ts'
import { targetOrderOf } from './order-by-targets.ts'
import { findPageByTargets } from './page-by-targets.ts'
import {
  askedPublication,
  findStoredPublication,
  publicationOf,
  type StoredPublication,
} from './published-conditions.ts'
import type { StoredVersion } from '../versions/stored-version.ts'
import { REVISION } from '../versions/version-fields.ts'
import { resolveFilter } from './resolve-filter.ts'
import { findStageConditions } from './review-conditions.ts'
import { UNORDERED } from './sort-plan.ts'
import { fallbackStages, shownVersions } from './target-version.ts'
import { digestedProjection } from '../versions/adopted-rows.ts'
import { versionId } from '../versions/version-match.ts'
import { mostVersions, readUnique, uniqueMember } from './read-unique.ts'
import { readBytes, type ReadPlan, readVersions } from './run-read.ts'

/** One find and, in parallel, one count, if the page does not show the total. */
export async function findPage(database: Database, query: Query): Promise<VersionPage> {
  const { filter, version, plan } = query
  const understood = await resolveQuery(database, query)
  const ordered = isOfMany(query)
    ? await findPageByTargets(database, query, understood.conditions)
    : null
  if (ordered !== null) return ordered
  const member = uniqueMember(filter, version)
  return readPage(database, query, understood, (read, isBounded) =>
    member !== null && isBounded
      ? readUnique(database, plan, member, read)
      : readVersions(database, plan, read),
  )
}

export async function findPageOfBytes(
  database: Database,
  query: Query,
): Promise<VersionPage<Uint8Array> | null> {
  if (!isOfMany(query) || targetOrderOf(query.sort) !== null) return null
  const understood = await resolveQuery(database, query)
  return readPage(database, query, understood, (read) => readBytes(database, query.plan, read))
}

function isOfMany({ filter, version }: Query): boolean {
  return mostVersions(filter, version) > 1
}

export interface ResolvedQuery {
  readonly resolved: Conditions
  readonly published: Conditions
  readonly conditions: Conditions
  /** Disjoint conditions whose counts add up to the total. */
  readonly counted: readonly Conditions[]
}

export async function resolveQuery(database: Database, query: Query): Promise<ResolvedQuery> {
  const { filter, version, reader } = query
  const [filtered, { narrowed, joined }] = await Promise.all([
    resolveFilter(database, filter, version, reader),
    findStageConditions(database, query),
  ])
  const found = await resolvePublication(database, query, bothConditions(filtered, narrowed))
  if (joined.lookups.length === 0) return found
  const { published, conditions, counted } = found
  return {
    ...found,
    published: bothConditions(published, joined),
    conditions: bothConditions(conditions, joined),
    counted: counted.map((one) => bothConditions(one, joined)),
  }
}

async function resolvePublication(
  database: Database,
  query: Query,
  resolved: Conditions,
): Promise<ResolvedQuery> {
  const { plan, version, publication } = query
  const published = publicationOf(database, plan, version.status, publication)
  const conditions = bothConditions(resolved, published)
  if (published.lookups.length === 0) return withoutJoin(conditions)
  const stored = await findStoredPublication(database, query, publication)
  return stored === null
    ? { resolved, published, conditions, counted: [conditions] }
    : byStoredStates(resolved, published, stored)
}

function withoutJoin(conditions: Conditions): ResolvedQuery {
  return { resolved: conditions, published: NO_CONDITIONS, conditions, counted: [conditions] }
}

/** Joins only the drafts whose state does not decide the conditions. */
function byStoredStates(
  resolved: Conditions,
  published: Conditions,
  { candidates, sure, unsure }: StoredPublication,
): ResolvedQuery {
  const narrow = (match: Document): Conditions => bothConditions(resolved, { lookups: [], match })
  const narrowed = narrow(candidates)
  if (unsure === null) return withoutJoin(narrowed)
  return {
    resolved: narrowed,
    published,
    conditions: bothConditions(narrowed, published),
    counted: [narrow(sure), bothConditions(narrow(unsure), published)],
  }
}

async function readPage<Version>(
  database: Database,
  query: Query,
  { resolved, published, counted }: ResolvedQuery,
  readAll: (read: ReadPlan, isBounded: boolean) => Promise<readonly Version[]>,
): Promise<VersionPage<Version>> {
  const found = buildFind(query, resolved)
  const read = { ...found, chosen: [...found.chosen, ...laterStages(published)] }
  const count = (): Promise<Counted> => countVersions(database, query, counted)
  if (isFromStart(query.page) && mostVersions(query.filter, query.version) <= read.limit) {
    const versions = await readAll(read, true)
    const isAll = versions.length < read.limit
    return { versions, ...(isAll ? countedOf(database, query, versions.length) : await count()) }
  }
  const [versions, total] = await Promise.all([readAll(read, false), count()])
  return { versions, ...total }
}

function isFromStart(page: Page): boolean {
  return page.kind === 'cursor' ? page.after === null : rangeOf(page).skip === 0
}

/** Reads a version for a response; with fallbacks, that of the first available locale. */
export async function getVersion(
  database: Database,
  documentId: string,
  key: VersionKey,
  query: EntryQuery,
): Promise<StoredVersion | null> {
  const { plan, filter, fields, populate, reader } = query
  const selection = shownVersions(plan, key, reader)
  const { locales, status } = selection
  const projection = digestedProjection(plan) ?? {
    ...buildProjection(plan, fields, populate),
    [REVISION]: 1,
    updatedAt: 1,
  }
  const conditions = bothConditions(
    await resolveFilter(database, filter, selection, reader),
    askedPublication(plan, status, reader),
  )
  const [found] = await readUnique(database, plan, '_id', {
    filter: { _id: matchAny(locales.map((locale) => versionId(documentId, { locale, status }))) },
    conditions,
    order: UNORDERED,
    chosen: fallbackStages(plan, selection, conditions),
    skip: 0,
    limit: 1,
    projection,
    answer: reader.answer,
  })
  return found ?? null
}

function matchAny(ids: readonly string[]): unknown {
  return ids.length === 1 ? ids[0] : { $in: ids }
}
