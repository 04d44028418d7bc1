import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { type ActedOn, factsKey, type LocaleState, localeStatesQuery } from './entry-facts.ts'
import { type HistoryAnswer, historyQuery } from './history.ts'

export interface SavedFacts {
  readonly locales: readonly LocaleState[]
  readonly history: Omit<HistoryAnswer, 'etag'>
}

/** Puts the facts of a write into the query cache, which saves a request. */
export async function adoptFacts(
  client: QueryClient,
  entry: ActedOn,
  { locales, history }: SavedFacts,
): Promise<void> {
  const states = localeStatesQuery(entry.uid, entry.documentId).queryKey
  const versions = historyQuery(entry).queryKey
  // A request from before the write would restore the previous state.
  await Promise.all([states, versions].map((queryKey) => client.cancelQueries({ queryKey })))
  client.setQueryData(states, locales)
  client.setQueryData<InfiniteData<HistoryAnswer, string | null>>(versions, {
    pages: [{ ...history, etag: null }],
    pageParams: [null],
  })
  await client.invalidateQueries({
    queryKey: [...factsKey(entry.uid, entry.documentId), 'preview', entry.locale],
  })
}
