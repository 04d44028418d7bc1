import type { Access } from '../../people/access/access.ts'
import { pluginAction, type PluginVerb } from '../../people/access/actions.ts'
import { assertMayPermit } from '../../people/access/permissions.ts'
import type { Role } from '../../people/access/role-rows.ts'
import { countUsersOf, type UsersContext } from '../../people/accounts/users.ts'
import { NotFoundError, ValidationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import {
  type Guarded,
  type GuardedRouter,
  guardedRouter,
  permitted,
} from '../router/guarded-router.ts'
import { payloadOf, parameterOf } from '../body/read-request.ts'
import type { Context, Middleware } from '../router/state.ts'
import { type Config } from '../../base/config/config.ts'
import { assertKnownBody, assertOnlyParameters } from '../reads/strict-request.ts'
import { readPermissions, showPermissions } from './role-permissions.ts'

export interface RoleRouteDependencies {
  readonly access: Pick<Access, 'roles' | 'actions'>
  readonly users: UsersContext
  readonly api: Pick<Config['api'], 'strictQuery'>
  readonly authenticate: Middleware
  readonly readBody: Middleware
}

type Handler = (ctx: Context, dependencies: RoleRouteDependencies) => Promise<void>

const ROLES = 'plugin::users-permissions.role'

const PERMISSIONS = 'plugin::users-permissions.permissions'

export function roleRoutes(dependencies: RoleRouteDependencies): GuardedRouter {
  const { authenticate, readBody, access } = dependencies
  const router = guardedRouter('/api/users-permissions')
  const handle = (verb: PluginVerb<typeof ROLES>, handler: Handler): Guarded =>
    permitted(
      pluginAction(ROLES, verb),
      async (ctx) => {
        assertOnlyParameters(ctx, dependencies.api)
        assertKnownBody(ctx, dependencies.api, [...ROLE_KEYS, ...READ_ONLY_MEMBERS], ROLE_KEYS)
        await handler(ctx, dependencies)
      },
      readBody,
    )
  router.get('/roles', authenticate, handle('find', list))
  router.get('/roles/:id', authenticate, handle('findOne', findOne))
  router.post('/roles', authenticate, handle('createRole', create))
  router.put('/roles/:id', authenticate, handle('updateRole', update))
  router.delete('/roles/:id', authenticate, handle('deleteRole', remove))
  router.get(
    '/permissions',
    authenticate,
    permitted(pluginAction(PERMISSIONS, 'getPermissions'), (ctx) => {
      assertOnlyParameters(ctx, dependencies.api)
      ctx.body = { permissions: showPermissions([], access.actions) }
      return Promise.resolve()
    }),
  )
  return router
}

async function list(ctx: Context, { access, users }: RoleRouteDependencies): Promise<void> {
  const roles = await access.roles.list()
  const counts = await Promise.all(roles.map((role) => countUsersOf(users, role.documentId)))
  ctx.body = {
    roles: roles.map((role, index) => ({ ...toRoleResponse(role), nb_users: counts[index] ?? 0 })),
  }
}

async function findOne(ctx: Context, { access }: RoleRouteDependencies): Promise<void> {
  const role = await roleOf(ctx, access)
  const permissions = showPermissions(role.permissions, access.actions)
  // An action under a rule is not enabled in `permissions`, so that other clients never show it as unconditional.
  const { rules = [] } = role
  ctx.body = { role: { ...toRoleResponse(role), permissions, rules } }
}

async function create(ctx: Context, { access }: RoleRouteDependencies): Promise<void> {
  const { type, ...input } = readRole(ctx)
  assertMayPermit(ctx.state.principal, input.permissions ?? [])
  await access.roles.create({ ...input, type: type ?? typeOf(input.name) }, (granted, rules) => {
    assertMayPermit(ctx.state.principal, granted, rules)
  })
  ctx.body = { ok: true }
}

async function update(ctx: Context, { access }: RoleRouteDependencies): Promise<void> {
  const role = await roleOf(ctx, access)
  await access.roles.update(role.type, readRole(ctx), (changed, rules) => {
    assertMayPermit(ctx.state.principal, changed, rules)
  })
  ctx.body = { ok: true }
}

async function remove(ctx: Context, { access }: RoleRouteDependencies): Promise<void> {
  const role = await roleOf(ctx, access)
  await access.roles.remove(role.type, (removed, rules) => {
    assertMayPermit(ctx.state.principal, removed, rules)
  })
  ctx.body = { ok: true }
}

async function roleOf(ctx: Context, { roles }: Pick<Access, 'roles'>): Promise<Role> {
  const id = parameterOf(ctx, 'id')
  const role = (await roles.list()).find((one) => String(one.id) === id)
  if (role === undefined) throw new NotFoundError('Role not found')
  return role
}

interface RoleBody {
  readonly name?: unknown
  readonly type?: unknown
  readonly description?: unknown
  readonly permissions?: readonly string[]
}

/** Ignores read-only fields, which clients may send back. Users of the role do not change. */
function readRole(ctx: Context): RoleBody {
  const body = payloadOf(ctx)
  if (body === null || typeof body !== 'object' || Object.keys(body).length === 0) {
    throw new ValidationError('Request body cannot be empty')
  }
  const { permissions, ...rest } = body as Data
  const input = Object.fromEntries(
    Object.entries(rest).filter(([key]) => !READ_ONLY_MEMBERS.has(key)),
  )
  if (permissions === undefined || permissions === null) return input
  return { ...input, permissions: readPermissions(permissions) }
}

const ROLE_KEYS = ['name', 'description', 'type', 'permissions', 'rules'] as const

const READ_ONLY_MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'documentId',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'nb_users',
  'users',
])

function typeOf(name: unknown): string {
  const words = (typeof name === 'string' ? name : '')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return (words ?? [])
    .join('_')
    .replace(/^[0-9_]+/, '')
    .slice(0, 64)
}

function toRoleResponse({
  id,
  documentId,
  name,
  description,
  type,
  createdAt,
  updatedAt,
}: Role): object {
  const publishedAt = updatedAt
  return { id, documentId, name, description, type, createdAt, updatedAt, publishedAt }
}
