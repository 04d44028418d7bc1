import { ANALYSIS_VERSION } from '../../query/text/analyze-text.ts'
import { languageOf } from '../../query/text/languages.ts'
import type { Posting } from '../../query/text/index-terms.ts'
import type { VersionKey } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import type { Table } from '../connection/table.ts'
import { ensureIndexes } from '../system/system-collections.ts'

/** The terms of one version. Its `_id` is that of the version. */
export interface SearchRow {
  readonly _id: string
  /** The form of the index. Rows of another form are never read. */
  readonly f: string
  /** Form, status and locale. */
  readonly k: string
  /** The commit after which the version was read. A delayed process replaces no newer row. */
  readonly seq: number
  /** The number of words per attribute. */
  readonly n: readonly number[]
  readonly p: readonly Posting[]
}

export const SEARCH_PREFIX = 'quire_search_'

export function searchRowsOf(
  database: Database,
  { collectionName }: ContentTypePlan,
): Table<SearchRow> {
  return database.table<SearchRow>(`${SEARCH_PREFIX}${collectionName}`)
}

/** The form also depends on the default locale, whose language entries without a locale have. */
export function searchForm({ search, localized }: ContentTypePlan, defaultLocale: string): string {
  const shape = search?.shape() ?? ''
  const language = localized ? '' : `.${languageOf(defaultLocale)}`
  return `${ANALYSIS_VERSION}.${shape}${language}`
}

export function searchKey(form: string, { status, locale }: VersionKey): string {
  return `${form}:${status}:${locale}`
}

export async function ensureSearchRows(database: Database, plan: ContentTypePlan): Promise<void> {
  await ensureIndexes(searchRowsOf(database, plan), [
    { key: { k: 1, 'p.t': 1 }, name: 'terms' },
    { key: { f: 1 }, name: 'form' },
  ])
}

/** Makes the rows older than all commits of a new log. */
export async function outdateRows(database: Database, plan: ContentTypePlan): Promise<void> {
  await searchRowsOf(database, plan).updateMany({}, { $set: { seq: -1 } })
}

export interface StatisticsRow {
  /** The type and the key of its rows. */
  readonly _id: string
  readonly type: string
  readonly count: number
  readonly averageLengths: readonly number[]
}

export const statisticsOf = (database: Database) =>
  database.table<StatisticsRow>('quire_text_statistics')

export function statisticsId(plan: ContentTypePlan, key: string): string {
  return `${plan.uid} ${key}`
}

interface Sums {
  readonly _id: string
  readonly count: number
  readonly [sum: `sum${number}`]: number
}

/** Counts the rows of a type, and averages their lengths. */
export async function refreshStatistics(database: Database, plan: ContentTypePlan): Promise<void> {
  const places = [...(plan.search?.weights.keys() ?? [])].map((_, place) => place)
  const sums = Object.fromEntries(
    places.map((place) => [`sum${place}`, { $sum: { $arrayElemAt: ['$n', place] } }]),
  )
  const groups = await searchRowsOf(database, plan).aggregate<Sums>([
    { $project: { k: 1, n: 1 } },
    { $group: { _id: '$k', count: { $sum: 1 }, ...sums } },
  ])
  const rows = groups.map((group): StatisticsRow => {
    const { count } = group
    return {
      _id: statisticsId(plan, group._id),
      type: plan.uid,
      count,
      averageLengths: places.map((place) => (group[`sum${place}`] ?? 0) / count),
    }
  })
  const statistics = statisticsOf(database)
  for (const { _id, ...rest } of rows) {
    await statistics.updateOne({ _id }, { $set: rest }, { upsert: true })
  }
  await statistics.deleteMany({ type: plan.uid, _id: { $nin: rows.map(({ _id }) => _id) } })
}
