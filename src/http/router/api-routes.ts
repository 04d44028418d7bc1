import { BadRequestError } from '../../base/errors.ts'
import type { GuardedRouter } from './guarded-router.ts'
import type { Middleware } from './state.ts'

const API_PATH = /^\/api\/([^/]+)/i

/** A map, so that the cost does not grow with the number of content-types. */
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

/** Rejects unmatched paths with an invalid percent-encoding. @throws BadRequestError */
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
