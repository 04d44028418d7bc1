import { CmsError } from '../../base/errors.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { isNearestQuery } from '../../mongo/read/find-nearest.ts'
import { usesStoredStates } from '../../mongo/read/published-conditions.ts'
import { settleStates } from '../../mongo/write/settle-states.ts'
import { ENTRY_STATES, type PublicationCondition, type Query } from '../../query/query.ts'
import { findDocuments, type FoundDocuments, type ListedQuery } from './find-documents.ts'
import { findNearest, type NearestDocuments } from './find-nearest-documents.ts'
import { findSearched, type SearchedDocuments, type SearchQuery } from './find-searched.ts'
import { canBeTexts, findTexts, type FoundTexts } from './find-texts.ts'

export type FoundEntries = FoundDocuments &
  Partial<Pick<SearchedDocuments, 'search'> & Pick<NearestDocuments, 'distances'>>

/** Lists entries, searches them if the query has a text, or orders them by distance. */
export async function findEntries(database: Database, query: Query): Promise<FoundEntries> {
  await settleAsked(database, query)
  if (isSearchQuery(query)) return findSearched(database, query)
  if (isNearestQuery(query)) return findNearest(database, query)
  return findDocuments(database, query as ListedQuery)
}

/** Null if the entries must be read with `findEntries`. */
export async function findEntryTexts(database: Database, query: Query): Promise<FoundTexts | null> {
  if (isSearchQuery(query) || isNearestQuery(query) || !canBeTexts(query)) return null
  await settleAsked(database, query)
  return findTexts(database, query as ListedQuery)
}

function isSearchQuery(query: Query): query is SearchQuery {
  return query.search !== undefined
}

/** Time to settle states for conditions that a join decides otherwise. */
const SETTLE_MS = 500

/** Only lists that are filtered by state need it. @throws GatewayTimeoutError if they name a state */
export async function settleAsked(database: Database, query: Query): Promise<void> {
  const { plan, version, publication } = query
  const states: readonly PublicationCondition[] = ENTRY_STATES
  const isAsked = publication.some((condition) => states.includes(condition))
  if (!plan.draftAndPublish || !database.hasTransactions) return
  if (!isAsked && !usesStoredStates(query)) return
  const limit = isAsked ? database.queryTimeoutMs : SETTLE_MS
  try {
    const deadline = performance.now() + limit
    await settleStates(database, plan, version.locales, { deadline })
  } catch (error) {
    if (isAsked || !(error instanceof CmsError)) throw error // else a join decides
  }
}
