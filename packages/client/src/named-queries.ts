import type { CallOptions } from './call.ts'
import type { SearchFacts } from './search.ts'
import type { Transport } from './transport.ts'

export type NamedQuery =
  | { readonly kind: 'list' | 'one'; readonly parameters: object; readonly entry: object }
  | { readonly kind: 'groups'; readonly parameters: object; readonly group: object }

export interface QueryPage<T> {
  readonly entries: T[]
  readonly total: number | null
  readonly pageCount: number | null
  /** The cursor of the next page, for queries with cursors. Null on the last page. */
  readonly nextCursor: string | null
  /** In meters, in the order of `entries`. Only in an order by distance. */
  readonly distances?: number[]
  /** Only in an order by relevance. */
  readonly search?: SearchFacts
}

export interface QueryGroups<T> {
  readonly groups: T[]
  /** Whether there are more groups. */
  readonly capped: boolean
}

type QueriesOf<C> = C extends { readonly queries: infer Queries } ? Queries : object

type Answer<Query> = Query extends { readonly kind: 'groups'; readonly group: infer Group }
  ? QueryGroups<Group>
  : Query extends { readonly kind: infer Kind; readonly entry: infer Entry }
    ? Kind extends 'one'
      ? Entry
      : QueryPage<Entry>
    : never

type Given<Query> = Query extends NamedQuery
  ? object extends Query['parameters']
    ? [parameters?: Query['parameters'], options?: CallOptions]
    : [parameters: Query['parameters'], options?: CallOptions]
  : never

/** @throws QuireError with the status 404 if a query for one entry finds none */
export type RunQuery<C> = <Name extends keyof QueriesOf<C> & string>(
  name: Name,
  ...given: Given<QueriesOf<C>[Name]>
) => Promise<Answer<QueriesOf<C>[Name]>>

interface Answered {
  readonly data: unknown
  readonly meta: {
    readonly pagination?: {
      readonly total?: number
      readonly pageCount?: number
      readonly nextCursor?: string | null
    }
    readonly distances?: number[]
    readonly search?: SearchFacts
    readonly capped?: boolean
  }
}

export function openQueries(transport: Transport) {
  return async (name: string, parameters: object = {}, options: CallOptions = {}) => {
    const { fallbackLocale, ...rest } = parameters as {
      readonly fallbackLocale?: readonly string[]
    }
    const query = { ...rest, fallbackLocale: fallbackLocale?.join(',') }
    const path = `_q/${encodeURIComponent(name)}`
    const { body } = await transport.send({ method: 'GET', path, query, ...options })
    const { data, meta } = body as Answered
    if (!Array.isArray(data)) return data
    if (meta.capped !== undefined) return { groups: data as unknown[], capped: meta.capped }
    return pageOf(data, meta)
  }
}

function pageOf(entries: unknown[], { pagination, distances, search }: Answered['meta']) {
  const { total = null, pageCount = null, nextCursor = null } = pagination ?? {}
  return {
    entries,
    total,
    pageCount,
    nextCursor,
    ...(distances !== undefined && { distances }),
    ...(search !== undefined && { search }),
  }
}
