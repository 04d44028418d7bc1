import type { Access } from '../../access/access.ts'
import type { Middleware } from '../state.ts'

/**
 * Sets who asks, by the `Authorization` header alone. For the router to use, so that a path without a
 * route is a 404 whoever asks. @throws UnauthorizedError for a bearer that is not known.
 */
export function authenticate(access: Pick<Access, 'principalOf'>): Middleware {
  return async (ctx, next) => {
    ctx.state.principal = await access.principalOf(ctx.get('authorization'))
    await next()
  }
}
