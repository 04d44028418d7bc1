import { LRUCache } from 'lru-cache'
import type { Grants } from '../../people/access/principal.ts'
import { linkedTypes } from '../../query/linked-types.ts'
import { parseQuery } from '../../query/parse-query.ts'
import type { LocaleRules, Query, Reader } from '../../query/query.ts'
import { typesOfQuery } from '../../query/types-of-query.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Context } from '../router/state.ts'
import {
  answerOf,
  entryRulesOf,
  mayReadDraftsOf,
  formatOf,
  readPopulated,
  rulesOf,
  type RuleSources,
} from './query-rules.ts'

export interface ListRequest {
  readonly ctx: Context
  readonly plan: ContentTypePlan
  readonly locales: LocaleRules
}

export interface ListQuery {
  readonly query: Query
  readonly types: ReadonlySet<Uid>
}

/** Cache limits: parsed queries, and characters per key. Front ends repeat a small set of query strings. */
const MAX_CACHED_QUERIES = 200
const MAX_KEY_LENGTH = 2_000

type LastingReader = Omit<Reader, 'answer' | 'addresses' | 'mayReadDrafts' | 'linked'>

interface CachedQuery {
  readonly plan: ContentTypePlan
  readonly locales: LocaleRules
  readonly grants: Grants
  readonly query: Omit<Query, 'reader'>
  readonly reader: LastingReader
  readonly types: ReadonlySet<Uid>
}

/** Caches by permissions and locales. Invalid queries are not cached. @throws ValidationError, PaginationError */
export function listQueries(sources: RuleSources): (asked: ListRequest) => ListQuery {
  const known = new LRUCache<string, CachedQuery>({ max: MAX_CACHED_QUERIES })
  return ({ ctx, plan, locales }) => {
    const { principal } = ctx.state
    const { digest = '' } = principal.grants.rules ?? {}
    const key = `${plan.uid} ${formatOf(ctx)} ${digest} ${ctx.querystring}`
    const before = known.get(key)
    if (before !== undefined && isFor(before, plan, locales, principal.grants)) {
      const answer = answerOf(ctx, sources.api)
      const reader = {
        ...before.reader,
        mayReadDrafts: mayReadDraftsOf(principal, locales),
        linked: (type: string) =>
          linkedTypes(rulesOf(ctx, sources, locales), before.reader.status)(type),
        answer,
        ...(ctx.state.addresses !== undefined && { addresses: ctx.state.addresses }),
      }
      return { query: { ...before.query, reader }, types: before.types }
    }
    const rules = entryRulesOf(ctx, sources, locales)
    const parsed = parseQuery(readPopulated(ctx, plan), plan, rules)
    const types = typesOfQuery(plan, parsed)
    // Administrators are not cached: their permissions depend on locales as well as grants.
    if (key.length <= MAX_KEY_LENGTH && principal.kind !== 'administrator') {
      const { reader, ...query } = parsed
      const { grants } = principal
      known.set(key, { plan, locales, grants, query, reader: withoutRequest(reader), types })
    }
    return { query: parsed, types }
  }
}

function isFor(
  known: CachedQuery,
  plan: ContentTypePlan,
  locales: LocaleRules,
  grants: Grants,
): boolean {
  return known.plan === plan && known.locales === locales && known.grants === grants
}

function withoutRequest(reader: Reader): LastingReader {
  const { format, locale, chain, status, publicationFilter, locales } = reader
  return {
    format,
    locale,
    ...(chain !== undefined && { chain }),
    status,
    ...(publicationFilter !== undefined && { publicationFilter }),
    locales,
  }
}
