import type { Grants } from '../../access/principal.ts'
import { parseQuery } from '../../query/parse-query.ts'
import type { LocaleRules, Query, Reader } from '../../query/query.ts'
import { typesOfQuery } from '../../query/types-of-query.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { readQuery } from '../read-request.ts'
import type { Context } from '../state.ts'
import {
  answerOf,
  entryRulesOf,
  mayReadDraftsOf,
  formatOf,
  type RuleSources,
} from './query-rules.ts'

/** A request for a list of one content-type. */
export interface AskedList {
  readonly ctx: Context
  readonly plan: ContentTypePlan
  readonly locales: LocaleRules
}

/** What its query string asks for. */
export interface ListQuery {
  readonly query: Query
  /** The content-types that its answer is made of. */
  readonly types: ReadonlySet<Uid>
}

/** Front ends ask with the same few query strings again and again. */
const MOST = 200
const LONGEST = 2_000

/** Without what belongs to one request. */
type LastingReader = Omit<Reader, 'answer' | 'mayReadDrafts'>

/** A query string that was understood, and by what. */
interface Understood {
  readonly plan: ContentTypePlan
  readonly locales: LocaleRules
  readonly grants: Grants
  readonly query: Omit<Query, 'reader'>
  readonly reader: LastingReader
  readonly types: ReadonlySet<Uid>
}

/**
 * Reads the query strings of lists: those that were understood before, for the same permissions and locales, are not read
 * again. What is refused is read each time. @throws ValidationError, PaginationError
 */
export function listQueries(sources: RuleSources): (asked: AskedList) => ListQuery {
  const known = new Map<string, Understood>()
  const keep = (key: string, understood: Understood): void => {
    known.delete(key) // or else it stays as old as what it replaces
    const [oldest] = known.keys()
    if (known.size >= MOST && oldest !== undefined) known.delete(oldest)
    known.set(key, understood)
  }
  return ({ ctx, plan, locales }) => {
    const { principal } = ctx.state
    const key = `${plan.uid} ${formatOf(ctx)} ${ctx.querystring}`
    const before = known.get(key)
    if (before !== undefined && isFor(before, plan, locales, principal.grants)) {
      const answer = answerOf(ctx, sources.api)
      const reader = {
        ...before.reader,
        mayReadDrafts: mayReadDraftsOf(principal, locales),
        answer,
      }
      return { query: { ...before.query, reader }, types: before.types }
    }
    const rules = entryRulesOf(ctx, sources, locales)
    const parsed = parseQuery(readQuery(ctx.querystring), plan, rules)
    const types = typesOfQuery(plan, parsed)
    // The rights of administrators are more than their grants: locales, too.
    if (key.length <= LONGEST && principal.kind !== 'administrator') {
      const { reader, ...query } = parsed
      const { grants } = principal
      keep(key, { plan, locales, grants, query, reader: withoutRequest(reader), types })
    }
    return { query: parsed, types }
  }
}

/** Permissions and locales are loaded anew when they have changed: an object that was seen before says what it said. */
function isFor(
  known: Understood,
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
