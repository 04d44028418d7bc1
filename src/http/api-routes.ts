import { BadRequestError } from '../errors.ts'
import type { GuardedRouter } from './guarded-router.ts'
import type { Middleware } from './state.ts'

/** The first segment after `/api`, in any case of letters. */
const API_PATH = /^\/api\/([^/]+)/i

/**
 * Hands a request under `/api` to the router of its first segment: found by name, so that a hundred
 * content-types cost what one does.
 */
export function apiRoutes(routers: ReadonlyMap<string, GuardedRouter>): Middleware {
  const handlers = new Map(
    [...routers].map(([name, router]) => [
      name.toLowerCase(),
      { routes: router.routes(), allowed: router.allowedMethods() },
    ]),
  )
  return async (ctx, next) => {
    const handler = handlers.get(API_PATH.exec(ctx.path)?.[1]?.toLowerCase() ?? '')
    if (handler === undefined) {
      await next()
      return
    }
    assertDecodable(ctx.path)
    await handler.routes(ctx, async () => {
      await handler.allowed(ctx, next)
    })
  }
}

/** Refuses what no route has taken and cannot be read. */
export function refuseUndecodable(): Middleware {
  return (ctx, next) => {
    assertDecodable(ctx.path)
    return next()
  }
}

function assertDecodable(path: string): void {
  try {
    decodeURIComponent(path)
  } catch {
    throw new BadRequestError('failed to decode', null)
  }
}
