import type { Access } from '../../people/access/access.ts'
import type { Middleware } from '../router/state.ts'
import { actAs } from './act-as.ts'

/** Shared caches must not store responses to requests with a credential. */
const PRIVATE = 'private, no-cache'

/**
 * Resolves the principal from the `Authorization` header. Runs inside the router, so that an unknown path is a 404
 * for every principal.
 * @throws UnauthorizedError for an unknown token
 */
export function authenticate(access: Pick<Access, 'principalOf'>): Middleware {
  return async (ctx, next) => {
    const authorization = ctx.get('authorization')
    ctx.vary('Authorization')
    if (authorization !== '') ctx.set('Cache-Control', PRIVATE)
    await actAs(ctx, () => access.principalOf(authorization), next)
  }
}
