import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { contentPath, type EntryState } from './entries.ts'
import { inTurns } from './in-turns.ts'
import { type Fault, faultsOf, request, type SentError } from './request.ts'

export interface LocaleState {
  readonly locale: string | null
  readonly state: EntryState
  readonly updatedAt: string
  readonly publishedAt: string | null
}

export interface Usage {
  readonly uid: string
  readonly documentId: string
  readonly locale?: string | null
  readonly field: string
  readonly title: string | null
}

export interface Presence {
  readonly id: string
  readonly name: string
  readonly since: string
}

/** Prefix of all queries about how an entry is stored. A write invalidates it. */
export const factsKey = (uid: string, documentId: string) => ['content', uid, 'facts', documentId]

export const localeStatesQuery = (uid: string, documentId: string) =>
  queryOptions({
    queryKey: [...factsKey(uid, documentId), 'locales'],
    queryFn: async ({ signal }) => {
      const path = contentPath(uid, documentId, 'locales')
      return (await request<readonly LocaleState[]>('GET', path, { signal })).data
    },
  })

/** Shared by the side panel and the delete dialog, so that they show the same links. */
export const MAX_USAGES = 10

export const usagesQuery = (uid: string, documentId: string) =>
  queryOptions({
    queryKey: ['content', uid, 'usages', documentId],
    queryFn: async ({ signal }) => {
      const path = contentPath(uid, documentId, 'usages')
      const query = { pagination: { pageSize: MAX_USAGES } }
      return (await request<readonly Usage[]>('GET', path, { query, signal })).data
    },
    staleTime: 30_000,
  })

const MAX_CONCURRENT_USAGES = 4

/** Links to any of the entries, except links among them. @throws ApiError */
export async function findUsages(
  client: QueryClient,
  uid: string,
  documentIds: readonly string[],
): Promise<readonly Usage[]> {
  const turn = inTurns(MAX_CONCURRENT_USAGES)
  const { signal } = new AbortController()
  const found = await Promise.all(
    documentIds.map((documentId) =>
      turn(() => client.fetchQuery({ ...usagesQuery(uid, documentId), staleTime: 0 }), signal),
    ),
  )
  return found
    .flat()
    .filter((usage) => usage.uid !== uid || !documentIds.includes(usage.documentId))
}

export interface PreviewAddress {
  readonly url: string
}

/** A preview address is valid for an hour and renewed before. */
const RENEW_PREVIEW_MS = 50 * 60_000

export const previewQuery = ({ uid, documentId, locale }: ActedOn) =>
  queryOptions({
    queryKey: [...factsKey(uid, documentId), 'preview', locale],
    queryFn: async ({ signal }) => {
      const body = locale === null ? {} : { locale }
      const path = contentPath(uid, documentId, 'preview')
      return (await request<PreviewAddress>('POST', path, { body, signal })).data
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: RENEW_PREVIEW_MS,
    refetchOnReconnect: false,
  })

export async function announcePresence(
  { uid, documentId, locale }: ActedOn,
  signal: AbortSignal,
): Promise<readonly Presence[]> {
  const { data } = await request<readonly Presence[]>('PUT', '/admin/presence', {
    body: { uid, documentId, ...(locale !== null && { locale }) },
    signal,
    signsIn: false,
  })
  return data
}

export type EntryAction = 'publish' | 'unpublish' | 'discard'

export interface ActedOn {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
}

/** @throws ApiError with the faults that prevent publishing */
export async function actOnEntry(
  { uid, documentId, locale }: ActedOn,
  action: EntryAction,
  etag: string | null,
): Promise<void> {
  await request('POST', contentPath(uid, documentId, 'actions', action), {
    ...(locale !== null && { query: { locale } }),
    ...(etag !== null && { ifMatch: etag }),
  })
}

/**
 * Finds the faults that publishing would find, in the language of the user, and publishes nothing.
 * @throws ApiError
 */
export async function checkPublication({
  uid,
  documentId,
  locale,
}: ActedOn): Promise<readonly Fault[]> {
  const { data } = await request<{ readonly faults: readonly SentError[] }>(
    'POST',
    contentPath(uid, documentId, 'check'),
    { ...(locale !== null && { query: { locale } }) },
  )
  return data.faults.flatMap(faultsOf)
}

export async function deleteEntry({ uid, documentId, locale }: ActedOn): Promise<void> {
  await request('DELETE', contentPath(uid, documentId), {
    ...(locale !== null && { query: { locale } }),
  })
}
