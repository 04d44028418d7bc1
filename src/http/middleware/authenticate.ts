import type { Access } from '../../access/access.ts'
import type { Middleware } from '../state.ts'
import { actAs } from './act-as.ts'

/** A cache that others share keeps no answer to a credential. */
const PRIVATE = 'private, no-cache'

/**
 * Sets the principal by the `Authorization` header alone. For the router to use, so that a path without a
 * route is a 404 for every principal. @throws UnauthorizedError for a bearer that is not known.
 */
export function authenticate(access: Pick<Access, 'principalOf'>): Middleware {
  return async (ctx, next) => {
    const authorization = ctx.get('authorization')
    ctx.vary('Authorization')
    if (authorization !== '') ctx.set('Cache-Control', PRIVATE)
    await actAs(ctx, () => access.principalOf(authorization), next)
  }
}
