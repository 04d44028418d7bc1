import type { Document } from 'mongodb'
import type {
  FieldSelection,
  PopulateNode,
  Reader,
  SortKey,
  VersionSelection,
} from '../../query/query.ts'
import { valueName } from '../../schema/alias.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { buildProjection, shownMembers } from './build-find.ts'
import { fallbackStages } from './target-version.ts'
import type { Database } from '../connection/database.ts'
import type { Conditions } from './translate-filter.ts'
import { buildSort, sortMembers, sortPlaces, type SortPlan } from './sort-plan.ts'
import { storedPathOf } from '../../schema/stored-path.ts'
import type { StoredVersion } from '../versions/stored-version.ts'
import { matchVersions, versionId } from '../versions/version-match.ts'
import { readVersions } from './run-read.ts'

export interface RelatedRead {
  readonly conditions: Conditions
  readonly sort: readonly SortKey[]
  readonly versions: VersionSelection
  readonly reader: Reader
  readonly fields: FieldSelection
  readonly populate: readonly PopulateNode[]
  readonly limit: number
}

/** Maximum number of documents per command of an unsorted read. */
const CHUNK = 1_000

/** Parallel commands. Bounds the memory until the size limit of the response applies. */
const CONCURRENCY = 4

export function findTargets(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
  read: RelatedRead,
): Promise<readonly StoredVersion[]> {
  const { locales, status, firstOnly } = read.versions
  if (firstOnly === true) {
    const versions = matchVersions(read.versions)
    return findInChunks(database, plan, documentIds, read, (chunk) => ({
      ...versions,
      documentId: { $in: chunk },
    }))
  }
  const ids = documentIds.flatMap((documentId) =>
    locales.map((locale) => versionId(documentId, { locale, status })),
  )
  return findInChunks(database, plan, ids, read, (chunk) => ({ _id: { $in: chunk } }))
}

export function findRelationOwners(
  database: Database,
  plan: ContentTypePlan,
  {
    attribute,
    documentIds,
  }: { readonly attribute: string; readonly documentIds: readonly string[] },
  read: RelatedRead,
): Promise<readonly StoredVersion[]> {
  const versions = matchVersions(read.versions)
  const shown = read.fields === 'all' ? shownMembers(plan) : read.fields
  const fields = [...shown, attribute]
  return findInChunks(database, plan, documentIds, { ...read, fields }, (chunk) => ({
    ...versions,
    [storedPathOf(plan, attribute)]: { $in: chunk },
  }))
}

export function placesIn(
  { sort, versions, reader }: Pick<RelatedRead, 'sort' | 'versions' | 'reader'>,
  found: readonly StoredVersion[],
): ReadonlyMap<StoredVersion, number> {
  return sortPlaces(found, { sort: namedSort(sort, buildSort(sort, versions, reader)) })
}

/** The sort of decoded versions. Targets that a lookup has added keep their stored names. */
function namedSort(keys: readonly SortKey[], { sort }: SortPlan): SortPlan['sort'] {
  const own = keys.filter(({ through }) => through.every(({ kind }) => kind === 'component'))
  const names = new Map(
    own.map(({ through, attribute }) => {
      const path = [...through, attribute]
      return [path.map(({ storedName }) => storedName).join('.'), path.map(valueName).join('.')]
    }),
  )
  return Object.fromEntries(
    Object.entries(sort).map(([path, direction]) => [names.get(path) ?? path, direction]),
  )
}

async function findInChunks(
  database: Database,
  plan: ContentTypePlan,
  ids: readonly string[],
  { conditions, sort, versions, reader, fields, populate, limit }: RelatedRead,
  match: (chunk: readonly string[]) => Document,
): Promise<readonly StoredVersion[]> {
  const order = buildSort(sort, versions, reader)
  const projection = buildProjection(plan, fields, populate)
  for (const name of sortMembers(order)) projection[name] = 1
  const shared = {
    conditions,
    order,
    chosen: fallbackStages(plan, versions, conditions),
    skip: 0,
    limit,
    projection,
    answer: reader.answer,
  }
  const size = sort.length === 0 ? CHUNK : ids.length
  const chunks = chunksOf(ids, size)
  const found: StoredVersion[] = []
  for (let start = 0; start < chunks.length; start += CONCURRENCY) {
    const parts = await Promise.all(
      chunks
        .slice(start, start + CONCURRENCY)
        .map((chunk) => readVersions(database, plan, { ...shared, filter: match(chunk) })),
    )
    found.push(...parts.flat())
  }
  return found
}

function chunksOf(ids: readonly string[], size: number): readonly (readonly string[])[] {
  const count = ids.length === 0 ? 0 : Math.ceil(ids.length / size)
  return Array.from({ length: count }, (_, index) => ids.slice(index * size, (index + 1) * size))
}
