import type { KnownDevice } from '../../people/sign-in/known-devices.ts'
import type { Allowance, RateLimits } from '../../people/access/rate-limit.ts'
import { RateLimitError } from '../../base/errors.ts'
import { networkOf } from '../router/network-of.ts'
import { bodyOf } from '../body/read-request.ts'
import type { Context, Middleware } from '../router/state.ts'

const LIMITS = { address: 10, account: 30 }

export interface RequestCount {
  readonly perAddress?: number
  /** The id of the account, or the name in the request if no account has it. Null if the request has no name. */
  readonly accountOf: (ctx: Context) => string | null | Promise<string | null>
  /** Attempts on the device's own account are counted separately. */
  readonly deviceOf?: (ctx: Context) => Promise<KnownDevice | null>
}

/** Limits by address or known device, then by account, whose name may be in the body. @throws RateLimitError */
export function limitRate(
  limits: RateLimits | null,
  route: string,
  { perAddress = LIMITS.address, accountOf, deviceOf = noDevice }: RequestCount,
  readBody: Middleware = (_, next) => next(),
): Middleware {
  return async (ctx, next) => {
    if (limits === null) {
      await readBody(ctx, next)
      return
    }
    const countSender = async (sender: string, limit: number): Promise<void> => {
      const counted = await limits.count(route, sender, limit)
      setHeaders(ctx, counted)
      assertAllowed(counted)
    }
    const countAddress = (): Promise<void> => countSender(`ip ${networkOf(ctx.ip)}`, perAddress)
    const device = await deviceOf(ctx)
    await (device === null ? countAddress() : countSender(`device ${device.id}`, LIMITS.address))
    await readBody(ctx, async () => {
      const account = await accountOf(ctx)
      if (device === null || account !== device.account) {
        if (device !== null) await countAddress()
        if (account !== null) {
          assertAllowed(await limits.count(route, `account ${account}`, LIMITS.account))
        }
      }
      await next()
    })
  }
}

function noDevice(): Promise<null> {
  return Promise.resolve(null)
}

function setHeaders(ctx: Context, { limit, remaining, resetsAt }: Allowance): void {
  ctx.set({
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetsAt),
  })
}

function assertAllowed({ allowed, retryAfter }: Allowance): void {
  if (allowed) return
  throw new RateLimitError('Too many requests, please try again later.', retryAfter)
}

export function accountIn(key: 'email' | 'identifier'): (ctx: Context) => string | null {
  return (ctx) => textInBody(ctx, key)?.toLowerCase() ?? null
}

export function textInBody(ctx: Context, key: string): string | null {
  const body = bodyOf(ctx)
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, key)) return null
  const text = (body as Readonly<Record<string, unknown>>)[key]
  return typeof text === 'string' ? text : null
}
