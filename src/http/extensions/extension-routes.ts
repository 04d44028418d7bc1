import { ExtensionError } from '../../base/errors.ts'
import type { ExtensionRegistry } from '../../extensions/extension-registry.ts'
import type { RegisteredRoute } from '../../extensions/collect-routes.ts'
import { type BeforeAdmin, adminRouter } from '../router/admin-router.ts'
import {
  administratorsOnly,
  everyone,
  type GuardedRouter,
  guardedRouter,
  permitted,
  storingUser,
} from '../router/guarded-router.ts'
import type { Context, Middleware } from '../router/state.ts'
import { callRoute } from './call-route.ts'
import type { RouteValidators } from './route-validators.ts'

export interface ExtensionRouteDependencies {
  readonly extensions: Pick<ExtensionRegistry, 'routes' | 'host'>
  readonly validators: ReadonlyMap<RegisteredRoute, RouteValidators>
  readonly maxBytes: number
  readonly readRaw: Middleware
}

export function extensionRouters(
  dependencies: ExtensionRouteDependencies,
  { authenticate, readBody }: { readonly authenticate: Middleware; readonly readBody: Middleware },
): ReadonlyMap<string, GuardedRouter> {
  const routers = new Map<string, GuardedRouter>()
  for (const route of dependencies.extensions.routes) {
    const [, root, first = '', ...rest] = route.path.split('/')
    if (root !== 'api') continue
    const name = first.toLowerCase()
    const router = routers.get(name) ?? guardedRouter(`/api/${first}`)
    routers.set(name, router)
    const called = handlerOf(route, dependencies)
    const run = route.method === 'get' ? called : storingUser(called)
    const path = `/${rest.join('/')}`
    const { method, permission } = route
    const read = route.isRaw ? dependencies.readRaw : readBody
    if (permission === 'public') router[method](path, authenticate, read, everyone(run))
    else router[method](path, authenticate, permitted(permission, run, read))
  }
  return routers
}

/** @throws ExtensionError for actions that administrators cannot have */
export function adminExtensionRouters(
  dependencies: ExtensionRouteDependencies,
  before: BeforeAdmin,
  actions: { has(action: string): boolean },
): readonly GuardedRouter[] {
  const faults: string[] = []
  const routers = new Map<string, ReturnType<typeof adminRouter>>()
  for (const route of dependencies.extensions.routes) {
    const { extension, method, permission } = route
    const prefix = `/admin/extensions/${extension}`
    if (!route.path.startsWith(`${prefix}/`)) continue
    if (!actions.has(permission)) {
      faults.push(
        `extension ${JSON.stringify(extension)}: routes: ${method} ${route.path}: there is no action ${permission}`,
      )
    }
    const router = routers.get(extension) ?? adminRouter(prefix, before)
    routers.set(extension, router)
    const run = handlerOf(route, dependencies)
    router.guarded(
      method,
      route.path.slice(prefix.length),
      (guarded) => administratorsOnly(permission, guarded),
      run,
      route.isRaw ? dependencies.readRaw : before.readBody,
    )
  }
  if (faults.length > 0) throw new ExtensionError(faults)
  return [...routers.values()].map(({ router }) => router)
}

function handlerOf(
  route: RegisteredRoute,
  { extensions: { host }, validators, maxBytes }: ExtensionRouteDependencies,
): (ctx: Context) => Promise<void> {
  const found = validators.get(route)
  if (found === undefined) throw new Error(`the schemas of ${route.path} were not compiled`)
  return (ctx) => callRoute(ctx, route, { host, validators: found, maxBytes })
}
