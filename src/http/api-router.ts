import { Router } from '@koa/router'
import { assertMay } from '../access/permissions.ts'
import type { Context, Middleware, RequestState } from './state.ts'

/** Who gets through to a route: whoever may do an action, or everyone. */
export type RouteAccess = { readonly action: string } | 'everyone'

/** A handler together with who gets through to it; made by `permitted` and `everyone` alone. */
export interface Guarded {
  readonly access: RouteAccess
  readonly run: Middleware
}

/** A route as it was declared, for whoever asks what there is to protect. */
export interface DeclaredRoute {
  readonly method: RouteMethod
  /** With its parameters, such as `/api/articles/:documentId`. */
  readonly path: string
  readonly access: RouteAccess
}

export type RouteMethod = 'get' | 'post' | 'put' | 'delete'

/** What stands before a handler, and the handler: a route cannot be added without saying who gets through. */
type AddRoute = (
  path: string,
  ...steps: readonly [...before: Middleware[], handler: Guarded]
) => void

export interface ApiRouter extends Readonly<Record<RouteMethod, AddRoute>> {
  readonly declared: readonly DeclaredRoute[]
  routes(): Middleware
  allowedMethods(): Middleware
}

/** The routes under one path. Each asks for the principal that `authenticate` sets, in its turn. */
export function apiRouter(prefix: string): ApiRouter {
  const router = new Router<RequestState>({ prefix })
  const declared: DeclaredRoute[] = []
  const adding =
    (method: RouteMethod): AddRoute =>
    (path, ...steps) => {
      const { before, guarded } = takeApart(steps)
      router[method](path, ...before, guarded.run)
      declared.push({ method, path: path === '/' ? prefix : prefix + path, access: guarded.access })
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

/** Runs a handler for whoever may do the action. The middleware throws ForbiddenError for others. */
export function permitted(action: string, handler: (ctx: Context) => Promise<void>): Guarded {
  return {
    access: { action },
    run: async (ctx) => {
      assertMay(ctx.state.principal, action)
      await handler(ctx)
    },
  }
}

/** Runs a handler whoever asks. */
export function everyone(handler: (ctx: Context) => Promise<void>): Guarded {
  return { access: 'everyone', run: handler }
}

function takeApart(steps: readonly [...Middleware[], Guarded]): {
  readonly before: readonly Middleware[]
  readonly guarded: Guarded
} {
  return { before: steps.slice(0, -1) as Middleware[], guarded: steps.at(-1) as Guarded }
}
