import type { Db } from 'mongodb'
import { examineSearchIndex } from '../../src/changes/search/search-health.ts'
import type { CommitLog } from '../../src/mongo/commits/commit-log.ts'
import type { Database } from '../../src/mongo/connection/database.ts'
import { searchTypesOf } from '../../src/mongo/search/index-progress.ts'
import { searchForm } from '../../src/mongo/search/index-rows.ts'
import type { Schema } from '../../src/schema/plan.ts'
import { until } from './until.ts'

/** Waits until all commits are numbered and this process knows their numbers. */
export function settledLog(db: Db, log: Pick<CommitLog, 'head'>): Promise<void> {
  return until(async () => {
    if ((await db.collection('quire_commits').countDocuments({ pending: 1 })) > 0) return false
    const head = await db.collection('quire_heads').findOne({})
    return head?.['assigning'] === null && log.head().seq >= head['seq']
  }, 20_000)
}

export interface SearchParts {
  readonly database: Database
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly locales: { current(): Promise<{ readonly defaultCode: string }> }
}

/**
 * Waits until the index of the server has all numbered commits. A search finds new drafts before, so only `withDrafts`
 * waits for the end of the pause in their writes.
 */
export function indexedLog(
  { database, schema, locales }: SearchParts,
  { withDrafts }: { readonly withDrafts: boolean },
): Promise<void> {
  const searched = [...schema.contentTypes.values()].filter(({ search }) => search !== null)
  let state: unknown
  const isIndexed = async (): Promise<boolean> => {
    const { defaultCode } = await locales.current()
    const health = await examineSearchIndex(database)
    const types = await searchTypesOf(database).find({}).toArray()
    const forms = new Map(types.map(({ _id, form }) => [_id, form]))
    const stale = searched.filter((plan) => forms.get(plan.uid) !== searchForm(plan, defaultCode))
    state = { ...health, stale: stale.map(({ uid }) => uid) }
    if (health === null || health.behind + health.building.length + stale.length > 0) return false
    return !withDrafts || health.pendingDrafts === 0
  }
  return until(isIndexed, 60_000, () => JSON.stringify(state))
}
