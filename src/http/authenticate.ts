import type { Middleware } from 'koa'
import type { Access } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'

/** What every route behind `authenticate` finds in `ctx.state`. */
export interface RequestState {
  principal: Principal
}

/**
 * Sets who asks, by the `Authorization` header alone. For the router to use, so that a path without a
 * route is a 404 whoever asks. @throws UnauthorizedError for a bearer that is not known.
 */
export function authenticate(access: Pick<Access, 'principalOf'>): Middleware<RequestState> {
  return async (ctx, next) => {
    ctx.state.principal = await access.principalOf(ctx.get('authorization'))
    await next()
  }
}
