import { Router } from '@koa/router'
import { assertAdministrator, assertMay, assertProgram, may } from '../access/permissions.ts'
import type { Context, Middleware, RequestState } from './state.ts'

/**
 * The principals that reach the handler of a route: those that may do an action, those that may write or sync at least one
 * type and API tokens (in all three the handler checks each type), administrators that may do an action (null: all
 * administrators), readers of metrics, or everyone. `<uid>` in an action of administrators is the content-type of the path.
 */
export type RouteAccess =
  | { readonly action: string }
  | { readonly administrators: string | null }
  | 'writers'
  | 'syncers'
  | 'programs'
  | 'metrics'
  | 'everyone'

/** A handler together with who gets through to it; made by the functions of this file alone. */
export interface Guarded {
  readonly access: RouteAccess
  readonly run: Middleware
}

/** A route as it was declared, for tests that list the protected routes. */
export interface DeclaredRoute {
  readonly method: RouteMethod
  /** With its parameters, such as `/api/articles/:documentId`. */
  readonly path: string
  readonly access: RouteAccess
}

export type RouteMethod = 'get' | 'post' | 'put' | 'delete'

type Handler = (ctx: Context) => Promise<void>

/** What stands before a handler, and the handler: a route cannot be added without saying who gets through. */
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
  /** Whether paths match in this case of letters only; those under `/api` match in any, as the dialect has it. */
  readonly sensitive: boolean
}

/**
 * The routes under one path (`''` for none), the only router there is: each guard stands on its route,
 * never on a prefix, so that no spelling of a path reaches a handler past it. `before` of each route must
 * have set the principal, unless everyone gets through.
 */
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

/**
 * Runs a handler for principals that may do the action. The middleware throws ForbiddenError for others, before it reads
 * their bodies.
 */
export function permitted(
  action: string,
  handler: Handler,
  readBody: Middleware | null = null,
): Guarded {
  const run: Handler =
    readBody === null ? handler : async (ctx) => void (await readBody(ctx, () => handler(ctx)))
  return guarded({ action }, ({ state }) => assertMay(state.principal, action), run)
}

/** Runs a handler for principals that may do one of the actions. The middleware throws ForbiddenError for others. */
export function writersOnly(actions: readonly string[], handler: Handler): Guarded {
  return guarded('writers', assertAny(actions), handler)
}

/** The same for who may keep a copy of something. */
export function syncersOnly(actions: readonly string[], handler: Handler): Guarded {
  return guarded('syncers', assertAny(actions), handler)
}

/**
 * Runs a handler for API tokens and root: what they may do its calls ask. The middleware throws UnauthorizedError or
 * ForbiddenError for others.
 */
export function programsOnly(handler: Handler): Guarded {
  return guarded('programs', ({ state }) => assertProgram(state.principal), handler)
}

/** What remains when none is permitted is refused for the first of them. */
function assertAny(actions: readonly string[]) {
  return ({ state: { principal } }: Context): void => {
    const [first = ''] = actions
    if (!actions.some((action) => may(principal, action))) assertMay(principal, first)
  }
}

/**
 * Runs a handler for administrators who may do the action; null is for all of them. The middleware throws
 * UnauthorizedError or ForbiddenError for others.
 */
export function administratorsOnly(action: string | null, handler: Handler): Guarded {
  const assert = ({ state }: Context): void => assertAdministrator(state.principal, action)
  return guarded({ administrators: action }, assert, handler)
}

/** The same where the path says which content-type the action is on: `actionOf` throws NotFoundError for none. */
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

/** Runs a handler for requests that `assert` lets through; it throws for others. */
export function metricsReaders(assert: (ctx: Context) => void, handler: Handler): Guarded {
  return guarded('metrics', assert, handler)
}

/** Runs a handler for every principal. */
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
