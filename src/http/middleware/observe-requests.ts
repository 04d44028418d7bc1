import type { CommandTally } from '../../base/observed.ts'
import type { Context, Middleware } from '../router/state.ts'

export interface FinishedRequest {
  readonly requestId: string
  readonly method: string
  readonly route: string
  readonly status: number
  /** Excludes the time of a long poll. */
  readonly ms: number
  readonly tally: CommandTally | null
}

export interface Tallying {
  tally<T>(work: (tally: CommandTally | null) => Promise<T>, label: () => string): Promise<T>
}

export function observeRequests(
  monitor: Tallying,
  observers: readonly ((finished: FinishedRequest, ctx: Context) => void)[],
): Middleware {
  return (ctx, next) => {
    const started = performance.now()
    const label = (): string => `quire ${ctx.method} ${routeOf(ctx)} ${ctx.state.requestId}`
    return monitor.tally(async (tally) => {
      try {
        await next()
      } finally {
        const finished = {
          requestId: ctx.state.requestId,
          method: ctx.method,
          route: routeOf(ctx),
          status: ctx.status,
          ms: performance.now() - started - (ctx.state.waitedMs ?? 0),
          tally,
        }
        for (const observe of observers) observe(finished, ctx)
      }
    }, label)
  }
}

/** Returns the pattern and not the path, because every documentId would create a time series. */
function routeOf(ctx: Context): string {
  const matched: unknown = ctx['_matchedRoute']
  return typeof matched === 'string' ? matched : 'other'
}
