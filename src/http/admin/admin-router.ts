import {
  administratorsOnly,
  type Guarded,
  type GuardedRouter,
  guardedRouter,
} from '../guarded-router.ts'
import type { Context, Middleware } from '../state.ts'

/** What stands before the routes of the management. */
export interface BeforeAdmin {
  readonly readBody: Middleware
  readonly authenticate: Middleware
}

type AdminHandler = (ctx: Context) => void | Promise<void>
type AddAdminRoute = (path: string, action: string | null, handler: AdminHandler) => void

/** The routes of the management API: what stands before each, and its guard, are added here alone. */
export interface AdminRouter {
  readonly router: GuardedRouter
  readonly get: AddAdminRoute
  readonly post: AddAdminRoute
  readonly put: AddAdminRoute
  readonly delete: AddAdminRoute
  /** For a guard that asks for something else. */
  guarded(method: 'get' | 'post' | 'put' | 'delete', path: string, guarded: Guarded): void
}

/** `path` lies under `/admin`; each action is asked for on its route, null of every administrator. */
export function adminRouter(prefix: string, { readBody, authenticate }: BeforeAdmin): AdminRouter {
  const router = guardedRouter(prefix, { sensitive: true })
  const guarded: AdminRouter['guarded'] = (method, path, one) => {
    router[method](path, readBody, authenticate, one)
  }
  const adding =
    (method: 'get' | 'post' | 'put' | 'delete'): AddAdminRoute =>
    (path, action, handler) => {
      const run = administratorsOnly(action, async (ctx) => {
        await handler(ctx)
      })
      guarded(method, path, run)
    }
  return {
    router,
    guarded,
    get: adding('get'),
    post: adding('post'),
    put: adding('put'),
    delete: adding('delete'),
  }
}
