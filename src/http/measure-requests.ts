import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Context, Middleware } from './state.ts'

/** The process's measurements, in a registry of their own so that two servers can share a process. */
export function createMetrics(): { readonly registry: Registry; readonly measure: Middleware } {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'quire_http_request_duration_seconds',
    help: 'How long requests took, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  const measure: Middleware = async (ctx, next) => {
    const started = performance.now()
    try {
      await next()
    } finally {
      const seconds = (performance.now() - started) / 1000
      durations.observe({ method: ctx.method, route: routeOf(ctx), status: ctx.status }, seconds)
    }
  }
  return { registry, measure }
}

/** The pattern that matched, never the path: documentIds would make a series each. */
function routeOf(ctx: Context): string {
  const matched: unknown = ctx['_matchedRoute']
  return typeof matched === 'string' ? matched : 'other'
}
