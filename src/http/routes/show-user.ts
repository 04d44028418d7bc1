import { contentAction } from '../../people/access/actions.ts'
import { may } from '../../people/access/permissions.ts'
import { ROLE, type User, USER } from '../../people/accounts/users.ts'
import { showVersions } from '../../content/read/find-documents.ts'
import type { Entry } from '../../content/read/row.ts'
import { parseEntryQuery } from '../../query/parse-query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { ContentRouteDependencies } from '../content/handlers.ts'
import { rulesOf } from '../reads/query-rules.ts'
import type { Context } from '../router/state.ts'

export type UserReading = Pick<ContentRouteDependencies, 'documents' | 'schema' | 'api' | 'locales'>

export async function showUser(
  ctx: Context,
  dependencies: UserReading,
  user: User,
  query: Data = {},
): Promise<Entry> {
  const plan = userPlan(dependencies)
  const rules = rulesOf(ctx, dependencies, await dependencies.locales.current())
  const asked = parseEntryQuery(query, plan, rules)
  const { database } = dependencies.documents
  const [entry = {}] = await showVersions(database, [user], 'published', asked)
  return entry
}

export function withRole({ state }: Context): Data {
  return may(state.principal, contentAction({ uid: ROLE }, 'find')) ? { populate: 'role' } : {}
}

export function userPlan({ documents }: Pick<UserReading, 'documents'>): ContentTypePlan {
  return documents.contentType(USER)
}
