import { useQuery, useSuspenseQuery, queryOptions } from '@tanstack/react-query'
import type { ContentTypeOptions } from '@quire/schema/attributes'
import { labelOf, labelInSentence } from '../texts/labels.ts'
import type { Language } from '../texts/texts.ts'
import type { Attributes, ComponentDeclaration } from './attributes.ts'
import { request } from './request.ts'

export interface TypeSummary extends Omit<ContentTypeOptions, 'description'> {
  /** The attribute whose value is the title of an entry. */
  readonly titleField: string | null
  /** Whether the server finds entries of the type by relevance. */
  readonly searched: boolean
  /** Another service writes the collection, too. There is no trash. */
  readonly adopted: boolean
  readonly actions: readonly string[]
}

export interface Declaration extends ContentTypeOptions, Omit<TypeSummary, 'actions'> {
  readonly hasPreview: boolean
  /** Of the review, in order. Absent for types without one. */
  readonly stages?: readonly string[]
  readonly attributes: Attributes
}

/** Declarations change only when the server restarts. */
const DECLARATIONS_STALE_MS = 10 * 60_000

export const typesQuery = queryOptions({
  queryKey: ['types'],
  queryFn: async ({ signal }) =>
    (await request<readonly TypeSummary[]>('GET', '/admin/content-types', { signal })).data,
  staleTime: DECLARATIONS_STALE_MS,
})

export const declarationQuery = (uid: string) =>
  queryOptions({
    queryKey: ['types', uid],
    queryFn: async ({ signal }) =>
      (
        await request<Declaration>('GET', `/admin/content-types/${encodeURIComponent(uid)}`, {
          signal,
        })
      ).data,
    staleTime: DECLARATIONS_STALE_MS,
  })

export const componentsQuery = queryOptions({
  queryKey: ['components'],
  queryFn: async ({ signal }) =>
    (await request<readonly ComponentDeclaration[]>('GET', '/admin/components', { signal })).data,
  staleTime: DECLARATIONS_STALE_MS,
})

export function useTypes(): readonly TypeSummary[] {
  return useSuspenseQuery(typesQuery).data
}

export function apiNameOf(type: Pick<TypeSummary, 'kind' | 'singularName' | 'pluralName'>): string {
  return type.kind === 'singleType' ? type.singularName : type.pluralName
}

type TypeNames = Pick<TypeSummary, 'kind' | 'singularName' | 'pluralName' | 'displayName'>

/** The display name in the plural, because declarations only have a name for one entry. */
export function listTitleOf(type: TypeNames): string {
  return type.kind === 'collectionType' && isPlain(type)
    ? labelOf(type.pluralName)
    : type.displayName
}

export function entryNameOf(type: TypeNames, language: Language): string {
  if (!isPlain(type)) return type.displayName
  return language === 'de' ? type.displayName : labelInSentence(type.singularName)
}

export function entriesNameOf(type: TypeNames, language: Language): string {
  const title = listTitleOf(type)
  return language === 'en' && isPlain(type) ? labelInSentence(title) : title
}

/** Whether the display name is only the API name with a capital letter. */
function isPlain({ displayName, singularName }: TypeNames): boolean {
  return displayName.toLowerCase().replaceAll(/[\s_]+/g, '-') === singularName
}

export function useDeclaration(uid: string): Declaration {
  return useSuspenseQuery(declarationQuery(uid)).data
}

export const countsQuery = queryOptions({
  queryKey: ['counts'],
  queryFn: async ({ signal }) =>
    (await request<Readonly<Record<string, number>>>('GET', '/admin/counts', { signal })).data,
  staleTime: 30_000,
})

export const localeCountQuery = (locale: string) =>
  queryOptions({
    queryKey: ['counts', 'of locale', locale],
    queryFn: async ({ signal }) => {
      const { data } = await request<Readonly<Record<string, number>>>('GET', '/admin/counts', {
        query: { locale },
        signal,
      })
      return Object.values(data).reduce((sum, count) => sum + count, 0)
    },
  })

export function useCounts(): Readonly<Record<string, number>> {
  return useQuery(countsQuery).data ?? {}
}
