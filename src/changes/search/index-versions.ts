import { beginTimeSlice } from '../../base/time-slice.ts'
import { isDuplicateKey } from '../../mongo/connection/database-error.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { readSynced, type SyncedVersion } from '../../mongo/read/read-synced.ts'
import {
  searchForm,
  searchKey,
  type SearchRow,
  searchRowsOf,
} from '../../mongo/search/index-rows.ts'
import { analyzerFor } from '../../query/text/analyze-text.ts'
import { indexVersion } from '../../query/text/index-terms.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

export interface Indexing {
  readonly database: Database
  readonly defaultLocale: string
  /** All commits up to this one are visible to the reads. */
  readonly seq: number
}

/** Reads the versions as they are now. Rows of deleted versions are deleted. */
export async function indexVersions(
  indexing: Indexing,
  plan: ContentTypePlan,
  ids: readonly string[],
): Promise<void> {
  const { database } = indexing
  const moment = { database: database.majority, session: undefined }
  const versions = await readSynced(
    moment,
    plan,
    { filter: null, condition: null, projection: projectionOf(plan) },
    ids,
  )
  await putRows(indexing, plan, versions)
  const found = new Set(versions.map(({ _id }) => _id))
  const missing = ids.filter((_id) => !found.has(_id))
  if (missing.length === 0) return
  const { seq } = indexing
  await searchRowsOf(database, plan).deleteMany({ _id: { $in: missing }, seq: { $lte: seq } })
}

export function projectionOf({ search }: ContentTypePlan): Readonly<Record<string, 1>> {
  const names = [...(search?.weights.keys() ?? []), 'locale', 'status', 'documentId']
  return Object.fromEntries(names.map((name) => [name, 1]))
}

export async function putRows(
  { database, defaultLocale, seq }: Indexing,
  plan: ContentTypePlan,
  versions: readonly SyncedVersion[],
): Promise<void> {
  const form = searchForm(plan, defaultLocale)
  const slice = beginTimeSlice()
  const rows: SearchRow[] = []
  for (const version of versions) {
    const { _id, locale, status } = version
    const analyzer = await analyzerFor(locale === NO_LOCALE ? defaultLocale : locale)
    const { lengths, postings } = indexVersion(plan, version, analyzer)
    const k = searchKey(form, { locale, status })
    rows.push({ _id, f: form, k, seq, n: lengths, p: postings })
    if (slice.isOver()) await slice.next()
  }
  if (rows.length > 0) await storeRows(database, plan, rows)
}

async function storeRows(
  database: Database,
  plan: ContentTypePlan,
  rows: readonly SearchRow[],
): Promise<void> {
  const table = searchRowsOf(database, plan)
  const operations = rows.map(({ _id, ...rest }) => ({
    updateOne: {
      filter: { _id, seq: { $lte: rest.seq } },
      update: { $set: rest },
      upsert: true,
    },
  }))
  try {
    await table.bulkWrite(operations, { ordered: false })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    // Another process has stored a newer row. The others are stored one by one.
    for (const { updateOne } of operations) {
      const { filter, update } = updateOne
      await table.updateOne(filter, update, { upsert: true }).catch((reason: unknown) => {
        if (!isDuplicateKey(reason)) throw reason
      })
    }
  }
}
