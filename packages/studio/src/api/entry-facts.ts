import { queryOptions } from '@tanstack/react-query'
import { contentPath, type EntryState } from './entries.ts'
import { type Fault, faultsOf, request, type SentError } from './request.ts'

export interface LocaleState {
  readonly locale: string | null
  readonly state: EntryState
  readonly updatedAt: string
  readonly publishedAt: string | null
  /** The attributes that a publication changes, with the revisions of both versions. */
  readonly changes?: UnpublishedChanges
}

export interface UnpublishedChanges {
  readonly attributes: readonly string[]
  readonly from: string | null
  readonly to: string | null
}

/** An attribute that a copy lacks, by its path in the entry. */
export interface LeftOut {
  readonly path: readonly string[]
  readonly why: string
}

export interface Duplicated {
  readonly data: { readonly documentId: string; readonly locales: readonly string[] }
  readonly leftOut: readonly LeftOut[]
}

/** @throws ApiError */
export async function duplicateEntry(uid: string, documentId: string): Promise<Duplicated> {
  const path = contentPath(uid, documentId, 'duplicate')
  const { data, meta } = await request<
    Duplicated['data'],
    { readonly leftOut: readonly LeftOut[] }
  >('POST', path)
  return { data, leftOut: meta.leftOut }
}

export interface Usage {
  readonly uid: string
  readonly documentId: string
  readonly locale?: string | null
  readonly field: string
  readonly title: string | null
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

/** The server's limit. */
const MAX_DOCUMENTS = 500

export interface FoundUsages {
  readonly usages: readonly Usage[]
  /** Whether more usages may exist than were found. */
  readonly hasMore: boolean
}

/**
 * Links to any of the entries, except links among them. Stops when there are more than a dialog
 * shows.
 * @throws ApiError
 */
export async function findUsages(
  uid: string,
  documentIds: readonly string[],
  signal: AbortSignal,
): Promise<FoundUsages> {
  const selected = new Set(documentIds)
  const usages: Usage[] = []
  let hasMore = false
  for (let at = 0; at < documentIds.length && usages.length <= MAX_USAGES; at += MAX_DOCUMENTS) {
    const { data, meta } = await request<readonly Usage[], UsagesMeta>(
      'POST',
      contentPath(uid, 'usages'),
      {
        body: { documentIds: documentIds.slice(at, at + MAX_DOCUMENTS) },
        query: { pagination: { pageSize: USAGES_PER_REQUEST } },
        signal,
      },
    )
    const { total } = meta.pagination
    hasMore ||= meta.pagination.capped === true || total > data.length
    usages.push(...data.filter((one) => one.uid !== uid || !selected.has(one.documentId)))
  }
  return { usages, hasMore: hasMore || usages.length > MAX_USAGES }
}

/** More than a dialog shows, because the links among the selected entries are removed afterwards. */
const USAGES_PER_REQUEST = 100

interface UsagesMeta {
  readonly pagination: { readonly total: number; readonly capped?: boolean }
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
