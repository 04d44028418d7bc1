import { shownName, ValidationError } from '../../base/errors.ts'
import { didYouMean } from '../../base/near-miss.ts'
import { bodyOf, readClosedQuery } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'

const PARAMETERS = [
  'filters',
  'sort',
  'fields',
  'populate',
  'pagination',
  '_q',
  'search',
  'status',
  'locale',
  'fallbackLocale',
  'hasPublishedVersion',
  'publicationFilter',
] as const

const BODY_KEYS = ['data', 'meta'] as const

export interface StrictOptions {
  readonly strictQuery: boolean
}

/** `more` are parameters of this route. @throws ValidationError that names the first unknown one */
export function assertKnownParameters(
  { querystring }: Pick<Context, 'querystring'>,
  { strictQuery }: StrictOptions,
  more: readonly string[] = [],
): void {
  assertOnlyParameters({ querystring }, { strictQuery }, [...PARAMETERS, ...more])
}

/** `known` are all parameters of the route. @throws ValidationError that names the first unknown one */
export function assertOnlyParameters(
  { querystring }: Pick<Context, 'querystring'>,
  { strictQuery }: StrictOptions,
  known: readonly string[] = [],
): void {
  if (!strictQuery || querystring === '') return
  assertKnown(Object.keys(readClosedQuery(querystring)), known, { source: 'query' })
}

/** By default `data` and `meta` are known. Messages suggest only `suggested` keys. @throws ValidationError */
export function assertKnownBody(
  ctx: Context,
  { strictQuery }: StrictOptions,
  known: readonly string[] = BODY_KEYS,
  suggested: readonly string[] = known,
): void {
  const body = bodyOf(ctx)
  if (!strictQuery || body === null || typeof body !== 'object' || Array.isArray(body)) return
  assertKnown(Object.keys(body), known, { source: 'body', suggested })
}

/** Checks part names, or the keys of part `within`. @throws ValidationError with the first unknown name */
export function assertKnownParts(
  names: Iterable<string>,
  { strictQuery }: StrictOptions,
  known: readonly string[],
  within?: string,
): void {
  if (strictQuery) assertKnown([...names], known, { source: 'body', within })
}

interface Names {
  readonly source: 'query' | 'body'
  readonly within?: string | undefined
  readonly suggested?: readonly string[]
}

function assertKnown(
  names: readonly string[],
  known: readonly string[],
  { source, within, suggested = known }: Names,
): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const at = within === undefined ? '' : ` at ${within}`
  throw new ValidationError(
    `Invalid key ${shownName(unknown)}${at}${didYouMean(unknown, suggested)}`,
    { key: unknown, path: within ?? unknown, source },
    { code: 'invalid_key' },
  )
}
