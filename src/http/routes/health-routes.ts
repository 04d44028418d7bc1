import { timingSafeEqual } from 'node:crypto'
import { Router } from '@koa/router'
import type { Registry } from 'prom-client'
import { ForbiddenError } from '../../errors.ts'
import type { Context, RequestState } from '../state.ts'

export interface HealthDependencies {
  /** @throws ServiceUnavailableError while content cannot be served. */
  readonly assertReady: () => Promise<void>
  readonly metrics: Registry
  /** Without one, metrics are for this machine only. */
  readonly metricsToken: string | null
}

/** Liveness, readiness and measurements; none of them under `/api`, none of them with an envelope. */
export function healthRoutes({
  assertReady,
  metrics,
  metricsToken,
}: HealthDependencies): Router<RequestState> {
  const router = new Router<RequestState>()
  router.get('/_health', (ctx) => {
    ctx.status = 204
  })
  router.get('/_ready', async (ctx) => {
    await assertReady()
    ctx.status = 204
  })
  router.get('/metrics', async (ctx) => {
    if (!maySeeMetrics(ctx, metricsToken)) throw new ForbiddenError('Forbidden')
    ctx.type = metrics.contentType
    ctx.body = await metrics.metrics()
  })
  return router
}

function maySeeMetrics(ctx: Context, token: string | null): boolean {
  if (token === null) return isLoopback(ctx.req.socket.remoteAddress ?? '')
  const given = Buffer.from(ctx.get('Authorization'))
  const expected = Buffer.from(`Bearer ${token}`)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Of the connection itself: a header could say anything. */
function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}
