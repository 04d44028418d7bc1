import type { CommandTally } from '../../observed.ts'
import type { Context, Middleware } from '../state.ts'

export interface FinishedRequest {
  readonly requestId: string
  readonly method: string
  /** The pattern that matched, such as `/api/articles/:documentId`, or `other`. */
  readonly route: string
  readonly status: number
  /** Without the time for which its client wanted to wait. */
  readonly ms: number
  /** Null where it is not known. */
  readonly tally: CommandTally | null
}

/** Counts what runs within `work`. */
export interface Tallying {
  tally<T>(work: (tally: CommandTally | null) => Promise<T>): Promise<T>
}

/** Reports each request to each observer, when all is done but the sending. */
export function observeRequests(
  monitor: Tallying,
  observers: readonly ((finished: FinishedRequest, ctx: Context) => void)[],
): Middleware {
  return (ctx, next) => {
    const started = performance.now()
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
    })
  }
}

/** The pattern that matched, never the path: documentIds would make a series each. */
function routeOf(ctx: Context): string {
  const matched: unknown = ctx['_matchedRoute']
  return typeof matched === 'string' ? matched : 'other'
}
