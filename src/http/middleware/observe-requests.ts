import type { Context, Middleware } from '../state.ts'

/** A command that a request cost; of its operands nothing is to be shown. */
export interface CountedCommand {
  readonly name: string
  readonly ms: number
  /** Null for what reads by no condition. */
  readonly shape: {
    readonly collection: string
    readonly filtered: readonly string[]
    readonly sorted: readonly string[]
  } | null
}

/** What a request asked of the database; `commands` are the first of them. */
export interface RequestTally<C extends CountedCommand = CountedCommand> {
  readonly commands: readonly C[]
  readonly count: number
  /** How long at least one command was under way. */
  readonly busyMs: number
}

export interface FinishedRequest<C extends CountedCommand = CountedCommand> {
  readonly requestId: string
  readonly method: string
  /** The pattern that matched, such as `/api/articles/:documentId`, or `other`. */
  readonly route: string
  readonly status: number
  readonly ms: number
  /** Null where it is not known. */
  readonly tally: RequestTally<C> | null
}

/** Counts what runs within `work`. */
export interface Tallying<C extends CountedCommand> {
  tally<T>(work: (tally: RequestTally<C> | null) => Promise<T>): Promise<T>
}

/** Tells each observer of each request, when all is done but the sending. */
export function observeRequests<C extends CountedCommand>(
  monitor: Tallying<C>,
  observers: readonly ((finished: FinishedRequest<C>, ctx: Context) => void)[],
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
          ms: performance.now() - started,
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
