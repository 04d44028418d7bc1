import type { Allowance, RateLimits } from '../../access/rate-limit.ts'
import { RateLimitError } from '../../errors.ts'
import { bodyOf } from '../read-request.ts'
import type { Context, Middleware } from '../state.ts'

/** How many attempts a minute one address has on one route, and one account from all addresses together. */
const LIMITS = { address: 10, account: 30 }

/** What is counted otherwise on a route than by `LIMITS` and the account that the body names. */
export interface Counted {
  readonly perAddress?: number
  readonly accountOf: (ctx: Context) => string | null
}

/**
 * Counts attempts by address and by account, on each route by itself.
 * @throws RateLimitError, with the headers that say when to come back. Null counts nothing.
 */
export function limitRate(
  limits: RateLimits | null,
  route: string,
  { perAddress = LIMITS.address, accountOf }: Counted = { accountOf: namedAccount },
): Middleware {
  return async (ctx, next) => {
    if (limits !== null) {
      const byAddress = await limits.count(route, `ip ${networkOf(ctx.ip)}`, perAddress)
      setHeaders(ctx, byAddress)
      assertAllowed(ctx, byAddress)
      const account = accountOf(ctx)
      if (account !== null) {
        assertAllowed(ctx, await limits.count(route, `account ${account}`, LIMITS.account))
      }
    }
    await next()
  }
}

function setHeaders(ctx: Context, { limit, remaining, resetsAt }: Allowance): void {
  ctx.set({
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetsAt),
  })
}

function assertAllowed(ctx: Context, { allowed, retryAfter }: Allowance): void {
  if (allowed) return
  ctx.set('Retry-After', String(retryAfter))
  throw new RateLimitError('Too many requests, please try again later.')
}

/** Whoever has one IPv6 address has the /64 that it is in. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0')
  const all = address.includes('::') ? [...groups, ...zeros, ...after] : groups
  return all.slice(0, 4).join(':').toLowerCase()
}

function namedAccount(ctx: Context): string | null {
  const body = bodyOf(ctx)
  if (typeof body !== 'object' || body === null) return null
  const { identifier, email } = body as { readonly identifier?: unknown; readonly email?: unknown }
  const account = identifier ?? email
  return typeof account === 'string' ? account.toLowerCase() : null
}
