import type { Data } from '../../entry/data.ts'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useDeclaration } from '../../api/content-types.ts'
import { contentPath, type Entry } from '../../api/entries.ts'
import { request, type QueryValue } from '../../api/request.ts'
import { answeredAt, populateAt } from '../../entry/link-page.ts'
import { type Link, INITIAL_LINKS, listOf, toLink } from '../../entry/values.ts'
import type { Place } from '../field-props.ts'
import { addressAt, useOpenEntry } from '../open-entry.ts'

interface LinkPage {
  readonly items: readonly Link[]
  readonly more: boolean
}

function useAskAt(place: Place): (inner: QueryValue, signal: AbortSignal) => Promise<unknown> {
  const { uid, documentId, locale, form, reading } = useOpenEntry()
  const declared = useDeclaration(uid)
  return async (inner, signal) => {
    const { components } = reading
    const attributes = declared.attributes
    const held = { attributes, values: form.values(), components }
    const address = addressAt(place)
    const { data } = await request<Entry>('GET', contentPath(uid, documentId() ?? ''), {
      query: {
        ...(declared.localized && locale !== null && { locale }),
        fields: ['documentId'],
        populate: populateAt(held, address, inner),
      },
      signal,
    })
    return answeredAt(held, address, data)
  }
}

/** The key prefix of all queries here. A write to the relation invalidates it. */
export function useKeyAt(place: Place): readonly unknown[] {
  const { uid, documentId, locale } = useOpenEntry()
  return ['content', uid, 'links', documentId() ?? '', locale, place]
}

/**
 * The entries of a long relation by pages: all of them, or those with a title that contains a text.
 */
export function useLinkPages(place: Place, target: string, text: string) {
  const { reading } = useOpenEntry()
  const askAt = useAskAt(place)
  const titleField = reading.titleFieldOf(target)
  return useInfiniteQuery({
    queryKey: [...useKeyAt(place), 'pages', text],
    queryFn: async ({ pageParam, signal }): Promise<LinkPage> => {
      const inner = {
        fields: [titleField ?? 'documentId'],
        pagination: { start: pageParam, limit: INITIAL_LINKS + 1 },
        ...(titleField !== null &&
          text !== '' && { filters: { [titleField]: { $containsi: text } } }),
      }
      const found = listOf(await askAt(inner, signal)) as readonly Data[]
      const links = found.map((entry) => toLink(entry, titleField))
      return { items: links.slice(0, INITIAL_LINKS), more: links.length > INITIAL_LINKS }
    },
    initialPageParam: 0,
    getNextPageParam: ({ more }, pages) => (more ? pages.length * INITIAL_LINKS : undefined),
    placeholderData: keepPreviousData,
  })
}

export function useLinkCount(place: Place): number | undefined {
  const askAt = useAskAt(place)
  const { data } = useQuery({
    queryKey: [...useKeyAt(place), 'count'],
    queryFn: async ({ signal }) => {
      const counted = (await askAt({ count: true }, signal)) as { readonly count?: number } | null
      return counted?.count ?? 0
    },
    placeholderData: keepPreviousData,
  })
  return data
}

export function useLinkedAmong(place: Place, ids: readonly string[]): ReadonlySet<string> | null {
  const askAt = useAskAt(place)
  const { data } = useQuery({
    queryKey: [...useKeyAt(place), 'among', ids],
    queryFn: async ({ signal }) => {
      const inner = {
        fields: ['documentId'],
        filters: { documentId: { $in: ids } },
        pagination: { start: 0, limit: ids.length },
      }
      const found = listOf(await askAt(inner, signal)) as readonly Data[]
      return found.map(({ documentId }) => String(documentId))
    },
    enabled: ids.length > 0,
  })
  if (ids.length === 0) return NO_IDS
  return data === undefined ? null : new Set(data)
}

const NO_IDS: ReadonlySet<string> = new Set()
