import { queryAction } from '../../people/access/actions.ts'
import type { DocumentContext } from '../../content/context.ts'
import { findDocuments } from '../../content/read/find-documents.ts'
import { NotFoundError } from '../../base/errors.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { NamedQueries } from '../../query/named/compile-queries.ts'
import { bindQuery, type NamedQuery } from '../../query/named/named-query.ts'
import type { LocaleRules } from '../../query/query.ts'
import { entryEnvelope, listEnvelope } from '../answer/envelope.ts'
import { type GuardedRouter, guardedRouter, permitted } from '../router/guarded-router.ts'
import { assertMayRead, dependsOnPublished, readFrom } from '../reads/content-reads.ts'
import type { CachedReads, PreparedRead } from '../reads/cached-reads.ts'
import { rulesOf, type RuleSources } from '../reads/query-rules.ts'
import { readQuery } from '../body/read-request.ts'
import type { Context, Middleware } from '../router/state.ts'
import { toJson } from '../answer/to-json.ts'

export interface QueryRouteDependencies extends RuleSources {
  readonly documents: DocumentContext
  readonly locales: Locales
  readonly authenticate: Middleware
  readonly reads: CachedReads
}

/** `GET /api/_q/<name>`: runs a named query for principals with its permission. */
export function queryRoutes(
  queries: NamedQueries,
  dependencies: QueryRouteDependencies,
): GuardedRouter {
  const router = guardedRouter('/api/_q')
  for (const [name, query] of queries) {
    const action = queryAction(name)
    const run = permitted(action, async (ctx) => {
      const locales = await dependencies.locales.current()
      const target = { uid: action, documentId: null, locales }
      await dependencies.reads.answer(ctx, target, () => prepare(ctx, query, locales, dependencies))
    })
    router.get(`/${name}`, dependencies.authenticate, run)
  }
  return router
}

/** `load` throws NotFoundError if a query for one entry finds none. @throws ValidationError, ForbiddenError */
function prepare(
  ctx: Context,
  query: NamedQuery,
  locales: LocaleRules,
  dependencies: QueryRouteDependencies,
): PreparedRead {
  const { documents } = dependencies
  const rules = rulesOf(ctx, dependencies, locales)
  const bound = bindQuery(query, readQuery(ctx.querystring), rules)
  const { version, reader, page } = bound
  assertMayRead(ctx, query.plan, version.status)
  const database = readFrom(ctx, documents)
  return {
    types: query.types,
    isPublished: dependsOnPublished(version.status, reader),
    isCurrent: database === documents.database,
    load: async () => {
      const found = await findDocuments(database, bound)
      const [first] = found.entries
      if (query.isOne && first === undefined) throw new NotFoundError('Not Found')
      const envelope =
        query.isOne && first !== undefined ? entryEnvelope(first) : listEnvelope(found, page)
      const body = await toJson(envelope, ctx.state.answer)
      return { body, revision: null, shown: () => found.entries, isExact: found.notes.length === 0 }
    },
  }
}
