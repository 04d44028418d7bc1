import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Registry } from 'prom-client'
import { ForbiddenError } from '../../base/errors.ts'
import { shareByKey } from '../../base/share-by-key.ts'
import {
  everyone,
  type GuardedRouter,
  guardedRouter,
  metricsReaders,
} from '../router/guarded-router.ts'
import type { Context } from '../router/state.ts'

export interface HealthDependencies {
  /** @throws ServiceUnavailableError while content cannot be served */
  readonly assertReady: () => Promise<void>
  readonly metrics: Registry
  /** Without a token, metrics are only available on this machine. */
  readonly metricsToken: string | null
  /** Behind a proxy all connections may come from this machine. Metrics then require a token. */
  readonly behindProxy: boolean
}

export function healthRoutes(dependencies: HealthDependencies): GuardedRouter {
  const { metrics } = dependencies
  /** Anyone may send probes. Concurrent probes share one check of the database. */
  const shareProbe = shareByKey<'database', void>()
  const router = guardedRouter('', { sensitive: true })
  const alive = everyone((ctx) => {
    ctx.set('Cache-Control', 'no-store')
    ctx.status = 204
    return Promise.resolve()
  })
  const ready = everyone(async (ctx) => {
    await shareProbe('database', dependencies.assertReady)
    ctx.set('Cache-Control', 'no-store')
    ctx.status = 204
  })
  const assertReader = (ctx: Context): void => {
    if (!maySeeMetrics(ctx, dependencies)) throw new ForbiddenError('Forbidden')
  }
  const measured = metricsReaders(assertReader, async (ctx) => {
    ctx.type = metrics.contentType
    ctx.set('Cache-Control', 'no-store')
    ctx.body = await metrics.metrics()
  })
  router.get('/_health', alive)
  router.get('/_ready', ready)
  router.get('/metrics', measured)
  return router
}

/** Headers that proxies add. A request with one of them did not originate on this machine. */
const FORWARDED = ['Forwarded', 'X-Forwarded-For', 'X-Real-IP', 'Via'] as const

function maySeeMetrics(ctx: Context, { metricsToken, behindProxy }: HealthDependencies): boolean {
  if (metricsToken === null) {
    const forwarded = behindProxy || FORWARDED.some((header) => ctx.get(header) !== '')
    return (
      !forwarded && isLoopback(ctx.req.socket.remoteAddress ?? '') && isOwnName(ctx.req.headers)
    )
  }
  const given = Buffer.from(ctx.get('Authorization'))
  const expected = Buffer.from(`Bearer ${metricsToken}`)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Checks the address of the socket, because headers can be forged. */
function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}

/** Prevents DNS rebinding: a page in a local browser may use its own host name that resolves to this machine. */
function isOwnName({ host = '' }: IncomingHttpHeaders): boolean {
  if (!URL.canParse(`http://${host}`)) return false
  const { hostname } = new URL(`http://${host}`)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}
