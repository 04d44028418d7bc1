import type { AccountsContext } from '../../people/accounts/accounts.ts'
import { pluginAction, type PluginVerb } from '../../people/access/actions.ts'
import type { RateLimits } from '../../people/access/rate-limit.ts'
import { unstoredUser } from '../../people/accounts/anonymous-sign-in.ts'
import { deleteOwnAccount } from '../../people/accounts/delete-account.ts'
import { createUser, deleteUser, getUser, updateUser } from '../../people/accounts/manage-users.ts'
import { findEntries } from '../../content/read/find-entries.ts'
import { GatewayTimeoutError, UnauthorizedError } from '../../base/errors.ts'
import { parseQuery } from '../../query/parse-query.ts'
import type { Query } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import {
  type GuardedRouter,
  guardedRouter,
  type Guarded,
  permitted,
} from '../router/guarded-router.ts'
import { limitRate, type RequestCount } from '../middleware/limit-rate.ts'
import { rulesOf } from '../reads/query-rules.ts'
import { payloadOf, parameterOf, readQuery } from '../body/read-request.ts'
import { assertRoleOf, editorOf } from './user-editor.ts'
import { showUser, userPlan, type UserReading, withRole } from './show-user.ts'
import type { Context, Middleware } from '../router/state.ts'
import {
  assertKnownBody,
  assertKnownParameters,
  assertOnlyParameters,
} from '../reads/strict-request.ts'

export interface UserRouteDependencies extends UserReading {
  readonly accounts: AccountsContext
  readonly authenticate: Middleware
  readonly readBody: Middleware
  readonly limits: RateLimits | null
}

const BY_ADDRESS: RequestCount = { accountOf: () => null }

type Handler = (ctx: Context, dependencies: UserRouteDependencies) => Promise<void>

export function userRoutes(dependencies: UserRouteDependencies): GuardedRouter {
  const router = guardedRouter('/api/users')
  const { authenticate, readBody, limits } = dependencies
  const handle = (verb: PluginVerb<'plugin::users-permissions.user'>, handler: Handler): Guarded =>
    permitted(
      pluginAction('plugin::users-permissions.user', verb),
      async (ctx) => {
        assertKnownParameters(ctx, dependencies.api, ['start', 'limit', 'page', 'pageSize'])
        assertKnownAttributes(ctx, dependencies)
        await handler(ctx, dependencies)
      },
      readBody,
    )
  router.get('/', authenticate, handle('find', list))
  router.get('/me', authenticate, handle('me', me))
  router.get('/count', authenticate, handle('count', count))
  router.get('/:id', authenticate, handle('findOne', findOne))
  router.post('/', authenticate, handle('create', create))
  router.put('/:id', authenticate, handle('update', update))
  const changeOwn = pluginAction('plugin::users-permissions.auth', 'changePassword')
  const limitDeletion = limitRate(limits, '/api/users/me', BY_ADDRESS)
  const deletion = permitted(changeOwn, (ctx) => deleteMe(ctx, dependencies))
  router.delete('/me', authenticate, limitDeletion, deletion)
  router.delete('/:id', authenticate, handle('destroy', destroy))
  return router
}

function assertKnownAttributes(ctx: Context, dependencies: UserRouteDependencies): void {
  const { members } = userPlan(dependencies)
  const shown = [...members.values()].filter(
    ({ kind, private: isPrivate }) => kind !== 'relation' && !isPrivate,
  )
  const suggested = ['password', ...shown.map(({ name }) => name)]
  assertKnownBody(ctx, dependencies.api, ['role', ...suggested, ...members.keys()], suggested)
}

async function list(ctx: Context, dependencies: UserRouteDependencies): Promise<void> {
  const { start, limit, ...query } = withoutPages(readQuery(ctx.querystring))
  const range = { start: start ?? '0', limit: limit ?? String(dependencies.api.maxLimit) }
  const asked = { ...query, pagination: { ...range, withCount: 'false' } }
  const parsed = await parse(ctx, dependencies, asked)
  ctx.body = (await findEntries(dependencies.documents.database, parsed)).entries
}

/** A plain number cannot express a capped or missing count, so the count is exact. */
const MAX_COUNT = 2 ** 31 - 2

async function count(ctx: Context, dependencies: UserRouteDependencies): Promise<void> {
  const { filters, _q } = readQuery(ctx.querystring)
  const asked = { filters, _q, fields: 'id', pagination: { limit: '1' } }
  const parsed = await parse(ctx, dependencies, asked)
  const { database } = dependencies.documents
  const unbounded = { countLimit: MAX_COUNT, countTimeoutMs: database.queryTimeoutMs }
  const { total } = await findEntries({ ...database, ...unbounded }, parsed)
  if (total === null) throw new GatewayTimeoutError('The query took too long')
  ctx.body = total
}

async function me(ctx: Context, dependencies: UserRouteDependencies): Promise<void> {
  const { principal } = ctx.state
  if (principal.kind !== 'user') throw new UnauthorizedError('Unauthorized')
  const { accounts } = dependencies
  const isStored = principal.store === undefined
  const user = isStored
    ? await getUser(accounts, String(principal.id))
    : unstoredUser(accounts, principal)
  const { populate, fields } = readQuery(ctx.querystring)
  // Without the permission to read roles, the role is omitted instead of rejected.
  const mayPopulate = 'populate' in withRole(ctx)
  const asked = { ...(fields !== undefined && { fields }), ...(mayPopulate && { populate }) }
  ctx.body = await showUser(ctx, dependencies, user, asked)
}

async function deleteMe(ctx: Context, { accounts, api }: UserRouteDependencies): Promise<void> {
  const { principal } = ctx.state
  assertOnlyParameters(ctx, api, [])
  if (principal.kind !== 'user') throw new UnauthorizedError('Unauthorized')
  await deleteOwnAccount(accounts, principal)
  ctx.set('Cache-Control', 'no-store')
  ctx.status = 204
}

async function findOne(ctx: Context, dependencies: UserRouteDependencies): Promise<void> {
  const { populate, fields } = readQuery(ctx.querystring)
  const user = await getUser(dependencies.accounts, parameterOf(ctx, 'id'))
  ctx.body = await showUser(ctx, dependencies, user, { populate, fields })
}

async function create(ctx: Context, dependencies: UserRouteDependencies): Promise<void> {
  const { accounts } = dependencies
  const user = await createUser(accounts, payloadOf(ctx), await editorOf(ctx, dependencies))
  ctx.status = 201
  ctx.body = await showUser(ctx, dependencies, user, withRole(ctx))
}

async function update(ctx: Context, dependencies: UserRouteDependencies): Promise<void> {
  const { accounts } = dependencies
  const editor = await editorOf(ctx, dependencies)
  const user = await updateUser(accounts, parameterOf(ctx, 'id'), payloadOf(ctx), editor)
  ctx.body = await showUser(ctx, dependencies, user, withRole(ctx))
}

async function destroy(ctx: Context, dependencies: UserRouteDependencies): Promise<void> {
  const { accounts } = dependencies
  const user = await deleteUser(accounts, parameterOf(ctx, 'id'), assertRoleOf(ctx, accounts))
  ctx.body = await showUser(ctx, dependencies, user)
}

async function parse(
  ctx: Context,
  dependencies: UserRouteDependencies,
  query: Data,
): Promise<Query> {
  const rules = rulesOf(ctx, dependencies, await dependencies.locales.current())
  return parseQuery(query, userPlan(dependencies), rules)
}

/** Users have no pages in the reference, so these parameters are ignored. */
function withoutPages(query: Data): Data {
  const { page: _page, pageSize: _pageSize, pagination: _pagination, ...rest } = query
  return rest
}
