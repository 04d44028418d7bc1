import type { Access } from '../../people/access/access.ts'
import type { Principal } from '../../people/access/principal.ts'
import type { Context, Middleware } from '../router/state.ts'
import { actAs, setPrincipal } from './act-as.ts'

/** Shared caches must not store responses to requests with a credential. */
const PRIVATE = 'private, no-cache'

/** Runs inside the router, so that an unknown path is a 404 for every principal. @throws UnauthorizedError */
export function authenticate(access: Pick<Access, 'principalOf'>): Middleware {
  return (ctx, next) => actAs(ctx, identifyBy(access, ctx), next)
}

/** For routes whose writes name their origin: AsyncLocalStorage takes CPU on Node 20 (ADR 0024). */
export function authenticateOnly(access: Pick<Access, 'principalOf'>): Middleware {
  return async (ctx, next) => {
    await setPrincipal(ctx, identifyBy(access, ctx))
    await next()
  }
}

function identifyBy(access: Pick<Access, 'principalOf'>, ctx: Context): () => Promise<Principal> {
  const authorization = ctx.get('authorization')
  ctx.vary('Authorization')
  if (authorization !== '') ctx.set('Cache-Control', PRIVATE)
  return () => access.principalOf(authorization)
}
