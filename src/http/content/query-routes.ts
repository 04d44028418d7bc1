import { contentAction, queryAction } from '../../people/access/actions.ts'
import { assertMay, may } from '../../people/access/permissions.ts'
import type { Principal } from '../../people/access/principal.ts'
import { isPersonalRead } from '../../people/access/reader-key.ts'
import { assertMayUnderRule, mayUnderRule } from '../../people/access/ruled-reads.ts'
import type { DocumentContext } from '../../content/context.ts'
import { findEntries } from '../../content/read/find-entries.ts'
import { showGroups, type ShownGroups } from '../../content/read/show-groups.ts'
import { isGroupedQuery } from '../../query/aggregate.ts'
import { ForbiddenError, NotFoundError } from '../../base/errors.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { NamedQueries } from '../../query/named/compile-queries.ts'
import { bindQuery, type NamedQuery } from '../../query/named/named-query.ts'
import type { LocaleRules } from '../../query/query.ts'
import { typesOfQuery } from '../../query/types-of-query.ts'
import type { Uid } from '../../schema/definition.ts'
import { entryEnvelope, groupsEnvelope, listEnvelope } from '../answer/envelope.ts'
import { type GuardedRouter, guardedRouter, permitted } from '../router/guarded-router.ts'
import { dependsOnPublished, readFrom, readsAdopted } from '../reads/content-reads.ts'
import type { CachedReads, LoadedRead, PreparedRead } from '../reads/cached-reads.ts'
import { rulesOf, type RuleSources } from '../reads/query-rules.ts'
import { readClosedQuery } from '../body/read-request.ts'
import type { Context, Middleware } from '../router/state.ts'
import { toJson } from '../answer/to-json.ts'

export interface QueryRouteDependencies extends RuleSources {
  readonly documents: DocumentContext
  readonly locales: Locales
  readonly authenticate: Middleware
  readonly reads: CachedReads
  /** The content-types with a rule in any role or token. */
  readonly ruledTypes: () => Promise<ReadonlySet<string>>
}

export function queryRoutes(
  queries: NamedQueries,
  dependencies: QueryRouteDependencies,
): GuardedRouter {
  const router = guardedRouter('/api/_q')
  for (const [name, query] of queries) {
    const action = queryAction(name)
    const run = permitted(action, async (ctx) => {
      await refuseUndecided(ctx, query, dependencies)
      const locales = await dependencies.locales.current()
      const target = { uid: action, documentId: null, locales }
      await dependencies.reads.answer(ctx, target, () => prepare(ctx, query, locales, dependencies))
    })
    router.get(`/${name}`, dependencies.authenticate, run)
  }
  return router
}

/** A stored rule can concern a query that does not say whether rules hold. @throws ForbiddenError */
async function refuseUndecided(
  { state: { principal } }: Pick<Context, 'state'>,
  { definition, types }: NamedQuery,
  { ruledTypes }: Pick<QueryRouteDependencies, 'ruledTypes'>,
): Promise<void> {
  if (definition.rules !== undefined || principal.kind === 'root') return
  const ruled = await ruledTypes()
  if (ruled.size === 0 || ![...types].some((uid) => ruled.has(uid))) return
  throw new ForbiddenError('The file of this query needs "rules", because a type has a rule')
}

/** `load` throws NotFoundError if a query for one entry finds none. @throws ValidationError, ForbiddenError */
function prepare(
  ctx: Context,
  query: NamedQuery,
  locales: LocaleRules,
  dependencies: QueryRouteDependencies,
): PreparedRead {
  const { documents } = dependencies
  const { principal } = ctx.state
  const { definition } = query
  const isRuled = definition.rules === 'caller'
  const mayDo = isRuled ? mayUnderRule : may
  if (isRuled) assertMayFind(principal, query.types)
  // A query without rules shows drafts to unconditional permissions only.
  const mayReadDrafts = (uid: Uid): boolean =>
    mayDo(principal, contentAction({ uid }, 'readDrafts'))
  const rules = { ...rulesOf(ctx, dependencies, locales), mayReadDrafts }
  const bound = bindQuery(query, readClosedQuery(ctx.querystring), rules)
  const { version, reader, page } = bound
  const types = isRuled ? typesOfQuery(bound.plan, bound) : query.types
  if (version.status === 'draft' && !mayReadDrafts(query.plan.uid)) {
    assertMay(principal, contentAction(query.plan, 'readDrafts'))
  }
  const database = readFrom(ctx, documents)
  return {
    types,
    // The index of a search follows later, so no cache may hold the response until the next commit.
    isPublished:
      dependsOnPublished(version.status, reader) &&
      bound.search === undefined &&
      !readsAdopted(documents, types),
    isPersonal: isRuled && isPersonalRead(principal, types),
    isCurrent: database === documents.database,
    load: async () => {
      if (isGroupedQuery(bound)) return loadGroups(ctx, await showGroups(database, bound))
      const found = await findEntries(database, bound)
      const [first] = found.entries
      if (query.isOne && first === undefined) throw new NotFoundError('Not Found')
      const envelope =
        query.isOne && first !== undefined ? entryEnvelope(first) : listEnvelope(found, page)
      const body = await toJson(envelope, ctx.state.answer)
      const isExact = found.notes.length === 0 && bound.search === undefined
      return { body, revision: null, shown: () => found.entries, isExact }
    },
  }
}

async function loadGroups(ctx: Context, found: ShownGroups): Promise<LoadedRead> {
  const body = await toJson(groupsEnvelope(found), ctx.state.answer)
  return { body, revision: null, shown: () => [], isExact: true }
}

/** Files are shown with their entries. @throws ForbiddenError */
function assertMayFind(principal: Principal, types: ReadonlySet<Uid>): void {
  for (const uid of types) {
    if (uid !== 'plugin::upload.file') assertMayUnderRule(principal, contentAction({ uid }, 'find'))
  }
}
