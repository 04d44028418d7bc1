import type { CallOptions } from './call.ts'
import type { ContentType } from './content.ts'
import type { ReadEntry } from './query-types.ts'
import type { Transport } from './transport.ts'

/** The attributes that a search of the content-type can name. */
export type SearchedName<S> = S extends { readonly searched: infer Name extends string }
  ? Name
  : never

/** The attributes with values that a search of the content-type can count. */
export type FacetName<S> = S extends { readonly faceted: infer Name extends string } ? Name : never

export interface RankedSearch<Name extends string, Counted extends string = string> {
  readonly query: string
  /** Whether a result has one of the words or all of them. The default is `any`. */
  readonly match?: 'any' | 'all'
  /** The searched attributes. The default is all of them. */
  readonly fields?: readonly Name[]
  /** The result has their matches in `search.highlights`. */
  readonly highlights?: readonly Name[]
  /** The result has their values in `search.facets`. */
  readonly facets?: readonly Counted[]
}

export interface RankedQuery<S extends ContentType> {
  /**
   * Finds words in all their forms. The most relevant entries come first, so it excludes `sort`. For content-types with
   * the option `search`.
   */
  readonly rank?: [SearchedName<S>] extends [never]
    ? never
    : string | RankedSearch<SearchedName<S>, FacetName<S>>
}

/** Facts about a search by relevance. */
export interface SearchFacts<Name extends string = string, Counted extends string = string> {
  /** The words that were searched. */
  readonly terms: readonly string[]
  /** By misspelled word: the word that was searched instead. */
  readonly corrected?: Readonly<Record<string, string>>
  /** True if more entries have these words than a search checks. */
  readonly capped?: true
  /** In the order of the entries, by attribute: texts without and with a match in turn. */
  readonly highlights?: readonly { readonly [Key in Name]?: readonly string[] }[]
  readonly facets?: { readonly [Key in Counted]?: Facet }
}

/** The values of an attribute in all found entries. */
export interface Facet {
  /** The most frequent values first. A relation has the documentId of its target. */
  readonly counts: readonly {
    readonly value: string | boolean | null
    readonly count: number
  }[]
  /** True if there are more values. */
  readonly capped?: true
  /** True if more entries have these words than a search checks. */
  readonly estimated?: true
}

/** All content-types by their singular names. */
type SingularTypes<C> = C extends { readonly singular: infer Types } ? Types : object

/** The singular names of the content-types that `$search` can search. */
export type SearchedType<C> = {
  [Name in keyof SingularTypes<C> & string]: SingularTypes<C>[Name] extends {
    readonly kind: 'collection'
    readonly searched: string
  }
    ? Name
    : never
}[keyof SingularTypes<C> & string]

/** The most relevant entries of one content-type. */
export type SearchGroup<C, Name extends keyof SingularTypes<C>> = Name extends unknown
  ? SingularTypes<C>[Name] extends infer S extends ContentType
    ? {
        readonly type: Name
        readonly entries: ReadEntry<S, undefined, undefined, undefined>[]
        readonly total: number
        readonly search: SearchFacts
      }
    : never
  : never

export interface SearchOptions<Name, Locale> extends CallOptions {
  /** Singular names of content-types. The default is all that the caller may read. */
  readonly types?: readonly Name[]
  /** Of localized content-types. */
  readonly locale?: Locale
  /** Entries per content-type: 1 to 25. The default is 5. */
  readonly limit?: number
}

type LocaleOf<C> = C extends { readonly locales: infer Locale } ? Locale : never

/** Returns a group for each content-type with results. */
export type RunSearch<C> = <const Name extends SearchedType<C> = SearchedType<C>>(
  text: string,
  options?: SearchOptions<Name, LocaleOf<C>>,
) => Promise<SearchGroup<C, Name>[]>

interface Found {
  readonly data: readonly {
    readonly type: string
    readonly data: readonly object[]
    readonly meta: { readonly pagination: { readonly total?: number }; readonly search: object }
  }[]
}

export function openSearch(transport: Transport) {
  return async (
    text: string,
    { types, locale, limit, ...options }: SearchOptions<string, string> = {},
  ): Promise<readonly object[]> => {
    const query = { q: text, types: types?.join(','), locale, limit }
    const { body } = await transport.send({ method: 'GET', path: '_search', query, ...options })
    return (body as Found).data.map(({ type, data, meta: { pagination, search } }) => ({
      type,
      entries: data,
      total: pagination.total ?? 0,
      search,
    }))
  }
}
