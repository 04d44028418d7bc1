import { useQuery, useSuspenseQuery, queryOptions } from '@tanstack/react-query'
import { labelOf, wordsOf } from '../texts/labels.ts'
import type { Language } from '../texts/texts.ts'
import { request } from './request.ts'

/** A type as the list of all types shows it. */
export interface TypeSummary {
  readonly uid: string
  readonly kind: 'collectionType' | 'singleType'
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  /** The attribute that names an entry. */
  readonly titleField: string | null
  readonly actions: readonly string[]
}

export const ATTRIBUTE_TYPES = [
  'string',
  'text',
  'richtext',
  'blocks',
  'email',
  'password',
  'uid',
  'enumeration',
  'integer',
  'biginteger',
  'decimal',
  'float',
  'boolean',
  'date',
  'time',
  'datetime',
  'timestamp',
  'json',
  'relation',
  'component',
  'dynamiczone',
  'media',
] as const

export type AttributeType = (typeof ATTRIBUTE_TYPES)[number]

/** An attribute as it was declared; which options there are depends on its type. */
export interface Attribute {
  readonly type: AttributeType
  readonly required?: boolean
  readonly private?: boolean
  readonly localized?: boolean
  readonly writable?: boolean
  readonly unique?: boolean
  /** Whether an index has entries in its order. */
  readonly index?: boolean
  readonly default?: unknown
  readonly description?: string
  readonly min?: number | string
  readonly max?: number | string
  readonly minLength?: number
  readonly maxLength?: number
  readonly regex?: string
  readonly enum?: readonly string[]
  readonly targetField?: string
  readonly relation?: 'oneToOne' | 'oneToMany' | 'manyToOne' | 'manyToMany'
  readonly target?: string
  readonly inversedBy?: string
  readonly mappedBy?: string
  readonly component?: string
  readonly components?: readonly string[]
  readonly repeatable?: boolean
  readonly multiple?: boolean
  readonly allowedTypes?: readonly string[]
}

export type Attributes = Readonly<Record<string, Attribute>>

/** The declaration of a type in full. */
export interface Declaration extends Omit<TypeSummary, 'actions'> {
  readonly description?: string
  /** Whether a site shows its entries while they are edited. */
  readonly hasPreview: boolean
  readonly attributes: Attributes
}

export interface ComponentDeclaration {
  readonly uid: string
  readonly displayName: string
  readonly attributes: Attributes
}

/** Declarations change with a start of the server alone. */
const FOR_LONG = 10 * 60_000

export const typesQuery = queryOptions({
  queryKey: ['types'],
  queryFn: async ({ signal }) =>
    (await request<readonly TypeSummary[]>('GET', '/admin/content-types', { signal })).data,
  staleTime: FOR_LONG,
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
    staleTime: FOR_LONG,
  })

export const componentsQuery = queryOptions({
  queryKey: ['components'],
  queryFn: async ({ signal }) =>
    (await request<readonly ComponentDeclaration[]>('GET', '/admin/components', { signal })).data,
  staleTime: FOR_LONG,
})

export function useTypes(): readonly TypeSummary[] {
  return useSuspenseQuery(typesQuery).data
}

/** What names a type in addresses: as under `/api`. */
export function apiNameOf(type: Pick<TypeSummary, 'kind' | 'singularName' | 'pluralName'>): string {
  return type.kind === 'singleType' ? type.singularName : type.pluralName
}

type Named = Pick<TypeSummary, 'kind' | 'singularName' | 'pluralName' | 'displayName'>

/** What a list of its entries is called: declarations have names for one entry. */
export function listTitleOf(type: Named): string {
  return type.kind === 'collectionType' && isPlain(type)
    ? labelOf(type.pluralName)
    : type.displayName
}

/** What one entry is called within a sentence: in German nouns begin as they do in a title. */
export function entryNameOf(type: Named, language: Language): string {
  if (!isPlain(type)) return type.displayName
  return language === 'de' ? type.displayName : wordsOf(type.singularName)
}

/** What its entries are called within a sentence. */
export function entriesNameOf(type: Named, language: Language): string {
  const title = listTitleOf(type)
  return language === 'en' && isPlain(type) ? wordsOf(title) : title
}

/** Whether the name to show says no more than the name in addresses. */
function isPlain({ displayName, singularName }: Named): boolean {
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

/** The number of entries in a locale, of all types that have locales. */
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

/** How many entries each type has, by uid; empty until it is known. */
export function useCounts(): Readonly<Record<string, number>> {
  return useQuery(countsQuery).data ?? {}
}
