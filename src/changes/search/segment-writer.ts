import { groupBy } from '../../base/group-by.ts'
import { beginTimeSlice } from '../../base/time-slice.ts'
import { isDuplicateKey } from '../../mongo/connection/database-error.ts'
import type { SyncedVersion } from '../../mongo/read/read-synced.ts'
import { indexFields } from '../../mongo/search/fresh-drafts.ts'
import {
  deleteTextIndex,
  recentId,
  type RecentVersionRow,
  recentRowsOf,
  searchForm,
  textIndexId,
} from '../../mongo/search/index-rows.ts'
import { finishBuild, settleIndex } from '../../mongo/search/settle-index.ts'
import { versionKeyOf } from '../../mongo/versions/version-match.ts'
import { analyzerFor } from '../../query/text/analyze-text.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Indexing, SearchWriter } from './search-writer.ts'

/** The index of the server. */
export const SEGMENT_WRITER: SearchWriter = {
  formOf: searchForm,
  put: putRows,
  remove: removeRows,
  startBuild: () => Promise.resolve(),
  finishBuild: ({ database, defaultLocale }, plan, since) =>
    finishBuild(database, plan, searchForm(plan, defaultLocale), since),
  startOver: ({ database }, plan) => deleteTextIndex(database, plan),
}

async function putRows(
  indexing: Indexing,
  plan: ContentTypePlan,
  versions: readonly SyncedVersion[],
): Promise<void> {
  const { defaultLocale, seq } = indexing
  const form = searchForm(plan, defaultLocale)
  const slice = beginTimeSlice()
  const rows: StoredRow[] = []
  for (const version of versions) {
    const { _id, documentId, locale } = version
    const analyzer = await analyzerFor(locale === NO_LOCALE ? defaultLocale : locale)
    const set = indexFields({ plan, form, analyzer }, version)
    rows.push({ _id, documentId, index: set.index, update: { $set: set, $unset: { movedAt: '' } } })
    if (slice.isOver()) await slice.next()
  }
  await storeRows(indexing, plan, { form, seq, rows })
}

/** A row without terms refuses older ones for a while. */
async function removeRows(
  indexing: Indexing,
  plan: ContentTypePlan,
  versions: readonly string[],
): Promise<void> {
  const { defaultLocale, seq, now } = indexing
  const form = searchForm(plan, defaultLocale)
  const rows = versions.map((_id): StoredRow => {
    const { documentId, ...key } = versionKeyOf(_id)
    const update = {
      $set: { movedAt: now() },
      $unset: { index: '', id: '', updatedAt: '', n: '', b: '' },
    } as const
    return { _id, documentId, index: textIndexId(plan, form, key), update }
  })
  await storeRows(indexing, plan, { form, seq, rows })
}

interface StoredRow extends Pick<RecentVersionRow, '_id' | 'documentId'> {
  /** The index that has the version, or had it. */
  readonly index: string
  readonly update: {
    readonly $set: Partial<RecentVersionRow>
    readonly $unset: Readonly<Partial<Record<keyof RecentVersionRow, ''>>>
  }
}

interface StoredRows extends Pick<RecentVersionRow, 'form' | 'seq'> {
  readonly rows: readonly StoredRow[]
}

async function storeRows(
  indexing: Indexing,
  plan: ContentTypePlan,
  { form, seq, rows }: StoredRows,
): Promise<void> {
  if (rows.length === 0) return
  const table = recentRowsOf(indexing.database)
  const operations = rows.map(({ _id, documentId, update }) => ({
    updateOne: {
      filter: { _id: recentId(plan, _id), seq: { $lte: seq } },
      update: {
        ...update,
        $set: { ...update.$set, type: plan.uid, form, seq, documentId },
      },
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
  for (const [_id, changed] of groupBy(rows, ({ index }) => index)) {
    const documents = new Map(changed.map(({ documentId }) => [documentId, seq]))
    await settleIndex(indexing, plan, { _id, form }, documents)
  }
}
