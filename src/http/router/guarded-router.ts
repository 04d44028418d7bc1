import { Router } from '@koa/router'
import { ForbiddenError } from '../../base/errors.ts'
import { isContentWrite } from '../../people/access/content-writers.ts'
import {
  assertAdministrator,
  assertMay,
  assertProgram,
  may,
} from '../../people/access/permissions.ts'
import { assertMayUnderRule, mayUnderRule } from '../../people/access/ruled-reads.ts'
import type { Context, Middleware, RequestState } from './state.ts'

/** The handlers of `writers`, `syncers`, `searchers`, `pushers` and `programs` check each type. `<uid>` is the content-type of the path. */
export type RouteAccess =
  | { readonly action: string }
  | { readonly administrators: string | null }
  | 'writers'
  | 'syncers'
  | 'searchers'
  | 'pushers'
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

export type RouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

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
    patch: adding('patch'),
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
  const stored = isContentWrite(action) ? storingUser(handler) : handler
  const run: Handler =
    readBody === null ? stored : async (ctx) => void (await readBody(ctx, () => stored(ctx)))
  return guarded({ action }, ({ state }) => assertMay(state.principal, action), run)
}

/** Also permits the action under a rule, which the handler must apply. @throws ForbiddenError */
export function permittedUnderRule(action: string, handler: Handler): Guarded {
  const run = isContentWrite(action) ? storingUser(handler) : handler
  return guarded({ action }, ({ state }) => assertMayUnderRule(state.principal, action), run)
}

/** Also permits the actions under rules, which the handler must apply. */
export function writersOnly(actions: readonly string[], handler: Handler): Guarded {
  return guarded('writers', assertAny(actions, mayUnderRule), storingUser(handler))
}

/** Stores an anonymous user before its first write, so that content can relate to it. */
export function storingUser(handler: Handler): Handler {
  return async (ctx) => {
    const { principal } = ctx.state
    if (principal.kind === 'user') await principal.store?.()
    await handler(ctx)
  }
}

/** Also permits syncing under a rule, which the handler must apply. */
export function syncersOnly(actions: readonly string[], handler: Handler): Guarded {
  return guarded('syncers', assertAny(actions, mayUnderRule), handler)
}

/** Also permits reading under a rule, which the handler must apply. */
export function searchersOnly(actions: readonly string[], handler: Handler): Guarded {
  return guarded('searchers', assertAny(actions, mayUnderRule), handler)
}

/** Allows signed-in end users only. @throws ForbiddenError */
export function pushersOnly(actions: readonly string[], handler: Handler): Guarded {
  const assert = (ctx: Context): void => {
    if (ctx.state.principal.kind !== 'user') throw new ForbiddenError('Forbidden')
    assertAny(actions, may)(ctx)
  }
  return guarded('pushers', assert, storingUser(handler))
}

export function programsOnly(handler: Handler): Guarded {
  return guarded('programs', ({ state }) => assertProgram(state.principal), handler)
}

/** The error names no action, because the request may be about another type. */
function assertAny(actions: readonly string[], isPermitted: typeof may) {
  return ({ state: { principal } }: Context): void => {
    if (!actions.some((action) => isPermitted(principal, action))) {
      throw new ForbiddenError('Forbidden')
    }
  }
}

/** Null allows every administrator. @throws UnauthorizedError, ForbiddenError */
export function administratorsOnly(action: string | null, handler: Handler): Guarded {
  const assert = ({ state }: Context): void => assertAdministrator(state.principal, action)
  return guarded({ administrators: action }, assert, handler)
}

type ActionOf = (ctx: Context) => string

/** `actionOf` throws NotFoundError for an unknown type. */
export function administratorsOf(verb: string, actionOf: ActionOf, handler: Handler): Guarded {
  return administratorsWith(assertMay, verb, actionOf, handler)
}

/** Also permits the action under a rule, which the handler must apply. `actionOf` throws NotFoundError. */
export function administratorsUnderRule(
  verb: string,
  actionOf: ActionOf,
  handler: Handler,
): Guarded {
  return administratorsWith(assertMayUnderRule, verb, actionOf, handler)
}

function administratorsWith(
  assertPermitted: typeof assertMay,
  verb: string,
  actionOf: ActionOf,
  handler: Handler,
): Guarded {
  const assert = (ctx: Context): void => {
    assertAdministrator(ctx.state.principal, null)
    assertPermitted(ctx.state.principal, actionOf(ctx))
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
