import { Router } from '@koa/router'
import {
  assertAdministrator,
  assertMay,
  assertProgram,
  may,
} from '../../people/access/permissions.ts'
import type { Context, Middleware, RequestState } from './state.ts'

/**
 * `administrators: null` allows every administrator. The handlers of `writers`, `syncers` and
 * `programs` check each type. `<uid>` in an action of administrators stands for the content-type of
 * the path.
 */
export type RouteAccess =
  | { readonly action: string }
  | { readonly administrators: string | null }
  | 'writers'
  | 'syncers'
  | 'programs'
  | 'metrics'
  | 'everyone'

export interface Guarded {
  readonly access: RouteAccess
  readonly run: Middleware
}

export interface DeclaredRoute {
  readonly method: RouteMethod
  readonly path: string
  readonly access: RouteAccess
}

export type RouteMethod = 'get' | 'post' | 'put' | 'delete'

type Handler = (ctx: Context) => Promise<void>

/** Takes middleware and a guarded handler, so that a route cannot be added without an access rule. */
type AddRoute = (
  path: string,
  ...steps: readonly [...before: Middleware[], handler: Guarded]
) => void

export interface GuardedRouter extends Readonly<Record<RouteMethod, AddRoute>> {
  readonly declared: readonly DeclaredRoute[]
  routes(): Middleware
  allowedMethods(): Middleware
}

export interface RouterOptions {
  /** Whether paths are case-sensitive. Paths under `/api` are not, as in the dialect. */
  readonly sensitive: boolean
}

export function guardedRouter(
  prefix: string,
  { sensitive }: RouterOptions = { sensitive: false },
): GuardedRouter {
  const router = new Router<RequestState>({ prefix, sensitive })
  const declared: DeclaredRoute[] = []
  const adding =
    (method: RouteMethod): AddRoute =>
    (path, ...steps) => {
      const { before, guarded } = takeApart(steps)
      router[method](path, ...before, guarded.run)
      const declaredPath = path === '/' && prefix !== '' ? prefix : prefix + path
      declared.push({ method, path: declaredPath, access: guarded.access })
    }
  return {
    declared,
    get: adding('get'),
    post: adding('post'),
    put: adding('put'),
    delete: adding('delete'),
    routes: () => router.routes() as Middleware,
    allowedMethods: () => router.allowedMethods() as Middleware,
  }
}

/** Checks the permission before the body is read. @throws ForbiddenError */
export function permitted(
  action: string,
  handler: Handler,
  readBody: Middleware | null = null,
): Guarded {
  const run: Handler =
    readBody === null ? handler : async (ctx) => void (await readBody(ctx, () => handler(ctx)))
  return guarded({ action }, ({ state }) => assertMay(state.principal, action), run)
}

/** Runs the handler for principals with at least one of these permissions. @throws ForbiddenError */
export function writersOnly(actions: readonly string[], handler: Handler): Guarded {
  return guarded('writers', assertAny(actions), handler)
}

/** Like `writersOnly`, for principals that may sync. */
export function syncersOnly(actions: readonly string[], handler: Handler): Guarded {
  return guarded('syncers', assertAny(actions), handler)
}

/** The handler checks the permissions of each call. @throws UnauthorizedError, ForbiddenError */
export function programsOnly(handler: Handler): Guarded {
  return guarded('programs', ({ state }) => assertProgram(state.principal), handler)
}

function assertAny(actions: readonly string[]) {
  return ({ state: { principal } }: Context): void => {
    const [first = ''] = actions
    if (!actions.some((action) => may(principal, action))) assertMay(principal, first)
  }
}

/** Null allows every administrator. @throws UnauthorizedError, ForbiddenError */
export function administratorsOnly(action: string | null, handler: Handler): Guarded {
  const assert = ({ state }: Context): void => assertAdministrator(state.principal, action)
  return guarded({ administrators: action }, assert, handler)
}

/** `actionOf` throws NotFoundError for an unknown type. */
export function administratorsOf(
  verb: string,
  actionOf: (ctx: Context) => string,
  handler: Handler,
): Guarded {
  const assert = (ctx: Context): void => {
    assertAdministrator(ctx.state.principal, null)
    assertAdministrator(ctx.state.principal, actionOf(ctx))
  }
  return guarded({ administrators: `<uid>.${verb}` }, assert, handler)
}

export function metricsReaders(assert: (ctx: Context) => void, handler: Handler): Guarded {
  return guarded('metrics', assert, handler)
}

export function everyone(handler: Handler): Guarded {
  return { access: 'everyone', run: handler }
}

function guarded(access: RouteAccess, assert: (ctx: Context) => void, handler: Handler): Guarded {
  return {
    access,
    run: async (ctx) => {
      assert(ctx)
      const { authorizeAgain } = ctx.state
      ctx.state.authorizeAgain = async () => {
        await authorizeAgain?.()
        assert(ctx)
      }
      await handler(ctx)
    },
  }
}

function takeApart(steps: readonly [...Middleware[], Guarded]): {
  readonly before: readonly Middleware[]
  readonly guarded: Guarded
} {
  return { before: steps.slice(0, -1) as Middleware[], guarded: steps.at(-1) as Guarded }
}
