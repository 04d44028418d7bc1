import { shownName, ValidationError } from '../../base/errors.ts'
import { didYouMean } from '../../base/near-miss.ts'
import { bodyOf, readQuery } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'

/** Parameters of every route that reads entries, or responds with one. */
const PARAMETERS = [
  'filters',
  'sort',
  'fields',
  'populate',
  'pagination',
  '_q',
  'status',
  'locale',
  'fallbackLocale',
  'hasPublishedVersion',
  'publicationFilter',
] as const

const BODY_KEYS = ['data', 'meta'] as const

interface StrictOptions {
  /** From the configuration; false checks nothing. */
  readonly strictQuery: boolean
}

/**
 * Checks the names of the parameters of a request, with `QUIRE_STRICT_QUERY=on`. `more` are parameters of this route.
 * @throws ValidationError that names the first unknown one
 */
export function assertKnownParameters(
  { querystring }: Pick<Context, 'querystring'>,
  { strictQuery }: StrictOptions,
  more: readonly string[] = [],
): void {
  if (!strictQuery || querystring === '') return
  assertKnown(Object.keys(readQuery(querystring)), [...PARAMETERS, ...more], 'query')
}

/**
 * Checks the keys of a body, with `QUIRE_STRICT_QUERY=on`: `data` and `meta`, unless others are given. Keys that are
 * `known` and not `suggested` are accepted, but no message names them.
 * @throws ValidationError that names the first unknown one
 */
export function assertKnownBody(
  ctx: Context,
  { strictQuery }: StrictOptions,
  known: readonly string[] = BODY_KEYS,
  suggested: readonly string[] = known,
): void {
  const body = bodyOf(ctx)
  if (!strictQuery || body === null || typeof body !== 'object' || Array.isArray(body)) return
  assertKnown(Object.keys(body), known, 'body', suggested)
}

function assertKnown(
  names: readonly string[],
  known: readonly string[],
  source: 'query' | 'body',
  suggested: readonly string[] = known,
): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new ValidationError(
    `Invalid key ${shownName(unknown)}${didYouMean(unknown, suggested)}`,
    { key: unknown, path: unknown, source },
    { code: 'invalid_key' },
  )
}
