import type { CallOptions } from './call.ts'
import type { Transport } from './transport.ts'

export interface NamedQuery {
  readonly kind: 'list' | 'one'
  readonly parameters: object
  readonly entry: object
}

export interface QueryPage<T> {
  readonly entries: T[]
  readonly total: number | null
  readonly pageCount: number | null
  /** The cursor of the next page, for queries with cursors. Null on the last page. */
  readonly nextCursor: string | null
  /** In meters, in the order of `entries`. Only in an order by distance. */
  readonly distances?: number[]
}

type QueriesOf<C> = C extends { readonly queries: infer Queries } ? Queries : object

type Answer<Query> = Query extends NamedQuery
  ? Query['kind'] extends 'one'
    ? Query['entry']
    : QueryPage<Query['entry']>
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
    const { total = null, pageCount = null, nextCursor = null } = meta.pagination ?? {}
    const { distances } = meta
    return {
      entries: data as unknown[],
      total,
      pageCount,
      nextCursor,
      ...(distances !== undefined && { distances }),
    }
  }
}
