import type { EntryQuery, Page, Query, VersionKey } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { buildFind, buildProjection, rangeOf } from './build-find.ts'
import { fallbackStages } from './fallback-stages.ts'
import { bothConditions, type Conditions, laterStages, NO_CONDITIONS } from './conditions.ts'
import { type Counted, countedOf, countVersions, type VersionPage } from './count-versions.ts'
import type { Database } from '../connection/database.ts'
import { mostVersions, uniqueMember } from './unique-conditions.ts'
import { targetOrderOf } from './order-by-targets.ts'
import { findPageByTargets } from './page-by-targets.ts'
import { askedPublication, publicationOf } from './published-conditions.ts'
import type { StoredVersion } from '../versions/stored-version.ts'
import { REVISION } from '../versions/revision.ts'
import { resolveFilter } from './resolve-filter.ts'
import { UNORDERED } from './sort-plan.ts'
import { shownVersions } from './target-version.ts'
import { versionId } from '../versions/version-match.ts'
import { readUnique } from './read-unique.ts'
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

interface ResolvedQuery {
  readonly resolved: Conditions
  readonly published: Conditions
  readonly conditions: Conditions
}

async function resolveQuery(database: Database, query: Query): Promise<ResolvedQuery> {
  const { plan, filter, version, reader, publication } = query
  const resolved = await resolveFilter(database, filter, version, reader)
  const published = publicationOf(database, plan, version.status, publication)
  const conditions = bothConditions(resolved, published)
  return published.lookups.length === 0
    ? { resolved: conditions, published: NO_CONDITIONS, conditions }
    : { resolved, published, conditions }
}

async function readPage<Version>(
  database: Database,
  query: Query,
  { resolved, published, conditions }: ResolvedQuery,
  readAll: (read: ReadPlan, isBounded: boolean) => Promise<readonly Version[]>,
): Promise<VersionPage<Version>> {
  const found = buildFind(query, resolved)
  const read = { ...found, chosen: [...found.chosen, ...laterStages(published)] }
  const count = (): Promise<Counted> => countVersions(database, query, conditions)
  if (isFromStart(query.page) && mostVersions(query.filter, query.version) <= read.limit) {
    const versions = await readAll(read, true)
    const isAll = versions.length < read.limit
    return { versions, ...(isAll ? countedOf(database, query, versions.length) : await count()) }
  }
  const [versions, counted] = await Promise.all([readAll(read, false), count()])
  return { versions, ...counted }
}

function isFromStart(page: Page): boolean {
  return page.kind === 'cursor' ? page.after === null : rangeOf(page).skip === 0
}

/** Reads a version for a response; with fallbacks, that of the first available locale. */
export async function getVersion(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  key: VersionKey,
  query: EntryQuery,
): Promise<StoredVersion | null> {
  const { filter, fields, populate, reader } = query
  const selection = shownVersions(plan, key, reader)
  const { locales, status } = selection
  const projection = buildProjection(plan, fields, populate)
  projection[REVISION] = 1
  projection['updatedAt'] = 1
  const [found] = await readUnique(database, plan, '_id', {
    filter: { _id: matchAny(locales.map((locale) => versionId(documentId, { locale, status }))) },
    conditions: bothConditions(
      await resolveFilter(database, filter, selection, reader),
      askedPublication(plan, status, reader),
    ),
    order: UNORDERED,
    chosen: fallbackStages(plan, selection),
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
