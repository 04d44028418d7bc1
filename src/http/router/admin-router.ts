import {
  administratorsOnly,
  type Guarded,
  type GuardedRouter,
  guardedRouter,
  type RouteMethod,
} from './guarded-router.ts'
import type { Context, Middleware } from './state.ts'

export interface BeforeAdmin {
  readonly readBody: Middleware
  readonly authenticate: Middleware
}

type AdminHandler = (ctx: Context) => void | Promise<void>
type AddAdminRoute = (path: string, action: string | null, handler: AdminHandler) => void

export interface AdminRouter {
  readonly router: GuardedRouter
  readonly get: AddAdminRoute
  readonly post: AddAdminRoute
  readonly put: AddAdminRoute
  readonly delete: AddAdminRoute
  /** The default of `read` is the `readBody` of the router. */
  guarded(
    method: RouteMethod,
    path: string,
    guard: (handler: Run) => Guarded,
    handler: AdminHandler,
    read?: Middleware,
  ): void
}

type Run = (ctx: Context) => Promise<void>

/** The guard runs before the body is read, so that bodies of rejected requests are never parsed. */
export function adminRouter(prefix: string, { readBody, authenticate }: BeforeAdmin): AdminRouter {
  const router = guardedRouter(prefix, { sensitive: true })
  const guarded: AdminRouter['guarded'] = (method, path, guard, handler, read = readBody) => {
    const run: Run = async (ctx) => {
      await read(ctx, async () => {
        await handler(ctx)
      })
    }
    router[method](path, authenticate, guard(run))
  }
  const adding =
    (method: 'get' | 'post' | 'put' | 'delete'): AddAdminRoute =>
    (path, action, handler) => {
      guarded(method, path, (run) => administratorsOnly(action, run), handler)
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
