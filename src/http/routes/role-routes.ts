import type { Access } from '../../access/access.ts'
import { type Actions, pluginAction } from '../../access/actions.ts'
import type { Role } from '../../access/roles.ts'
import { countUsersOf, type UsersContext } from '../../accounts/users.ts'
import { NotFoundError } from '../../errors.ts'
import { type GuardedRouter, guardedRouter, permitted } from '../guarded-router.ts'
import { parameterOf } from '../read-request.ts'
import type { Middleware } from '../state.ts'

export interface RoleRouteDependencies {
  readonly access: Pick<Access, 'roles' | 'actions'>
  readonly users: UsersContext
  readonly authenticate: Middleware
}

const ROLES = 'plugin::users-permissions.role'

/** `/api/users-permissions/roles`: which roles there are, and what each may do. */
export function roleRoutes(dependencies: RoleRouteDependencies): GuardedRouter {
  const { access, users, authenticate } = dependencies
  const router = guardedRouter('/api/users-permissions/roles')
  const find = permitted(pluginAction(ROLES, 'find'), async (ctx) => {
    const roles = await access.roles.list()
    const counts = await Promise.all(roles.map((role) => countUsersOf(users, role.documentId)))
    ctx.body = {
      roles: roles.map((role, index) => ({ ...show(role), nb_users: counts[index] ?? 0 })),
    }
  })
  const findOne = permitted(pluginAction(ROLES, 'findOne'), async (ctx) => {
    const id = parameterOf(ctx, 'id')
    const role = (await access.roles.list()).find((role) => String(role.id) === id)
    if (role === undefined) throw new NotFoundError('Role not found')
    ctx.body = { role: { ...show(role), permissions: permissionsOf(role, access.actions) } }
  })
  router.get('/', authenticate, find)
  router.get('/:id', authenticate, findOne)
  return router
}

function show({ id, documentId, name, description, type, createdAt, updatedAt }: Role): object {
  const publishedAt = updatedAt
  return { id, documentId, name, description, type, createdAt, updatedAt, publishedAt }
}

type Controllers = Record<string, Record<string, { enabled: boolean; policy: string }>>

/** Every action that there is: by plugin or API, by controller, by verb. */
function permissionsOf({ permissions }: Role, { all }: Actions): object {
  const granted = new Set(permissions)
  const shown: Record<string, { controllers: Controllers }> = {}
  for (const { name, subject, verb } of all) {
    const [type = '', controller = ''] = subject.split('.')
    const { controllers } = (shown[type] ??= { controllers: {} })
    const verbs = (controllers[controller] ??= {})
    verbs[verb] = { enabled: granted.has(name), policy: '' }
  }
  return shown
}
