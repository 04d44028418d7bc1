import type { DocumentContext } from '../../content/context.ts'
import type { Locales } from '../../content/locales/locales.ts'
import { findInTypes } from '../../content/read/find-in-types.ts'
import { contentAction } from '../../people/access/actions.ts'
import { mayUnderRule } from '../../people/access/ruled-reads.ts'
import { parseQuery } from '../../query/parse-query.ts'
import { invalidValue } from '../../query/query-error.ts'
import type { Query } from '../../query/query.ts'
import { parseTypesSearch, type TypesSearch } from '../../query/text/parse-types-search.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { sendTagged } from '../answer/entity-tag.ts'
import { listEnvelope } from '../answer/envelope.ts'
import { toJson } from '../answer/to-json.ts'
import { readClosedQuery } from '../body/read-request.ts'
import { readAfter } from '../reads/causal-reads.ts'
import { readFrom } from '../reads/content-reads.ts'
import { entryRulesOf, type RuleSources } from '../reads/query-rules.ts'
import { type GuardedRouter, guardedRouter, searchersOnly } from '../router/guarded-router.ts'
import type { Context, Middleware } from '../router/state.ts'

export interface SearchRouteDependencies extends RuleSources {
  readonly documents: DocumentContext
  readonly locales: Locales
  readonly authenticate: Middleware
}

/** Searches in several content-types, with the rights of a list of each type. */
export function searchRoutes(
  types: readonly ContentTypePlan[],
  dependencies: SearchRouteDependencies,
): GuardedRouter {
  const { authenticate, documents, locales } = dependencies
  const router = guardedRouter('/api/_search')
  const handle = async (ctx: Context): Promise<void> => {
    const asked = parseTypesSearch(readClosedQuery(ctx.querystring))
    await readAfter(ctx, documents.database)
    const rules = entryRulesOf(ctx, dependencies, await locales.current())
    const chosen = chooseTypes(ctx, types, asked)
    const queries = chosen.map((plan) => parseQuery(queryOf(plan, asked), plan, rules))
    const found = await findInTypes(readFrom(ctx, documents), queries)
    const data = found.flatMap((one, place) => groupOf(queries[place], one))
    const body = await toJson({ data, meta: {} }, ctx.state.answer)
    sendTagged(ctx, { body, revision: null })
  }
  const actions = types.map((plan) => contentAction(plan, 'find'))
  router.get('/', authenticate, searchersOnly(actions, handle))
  return router
}

/** The content-types that `/api/_search` can search. */
export function searchedTypes(types: Iterable<ContentTypePlan>): readonly ContentTypePlan[] {
  return [...types].filter(({ search, kind }) => search !== null && kind === 'collectionType')
}

/** Unknown types and types without permission have the same error. @throws ValidationError */
function chooseTypes(
  { state: { principal } }: Context,
  types: readonly ContentTypePlan[],
  { names }: TypesSearch,
): readonly ContentTypePlan[] {
  const readable = types.filter((plan) => mayUnderRule(principal, contentAction(plan, 'find')))
  if (names === null) return readable
  return names.map((name) => {
    const plan = readable.find(({ singularName }) => singularName === name)
    if (plan === undefined) throw invalidValue('types', `${name.slice(0, 64)} is not searched`)
    return plan
  })
}

function queryOf({ localized }: ContentTypePlan, { text, locale, limit }: TypesSearch) {
  const search = { query: text }
  const ofLocale = localized && locale !== undefined ? { locale } : {}
  return { search, pagination: { limit: String(limit) }, ...ofLocale }
}

function groupOf(
  query: Query | undefined,
  found: Awaited<ReturnType<typeof findInTypes>>[number],
): readonly object[] {
  if (query === undefined || found.entries.length === 0) return []
  return [{ type: query.plan.singularName, ...listEnvelope(found, query.page) }]
}
