import type { Logger } from 'pino'
import type { ObservedCommand } from '../../base/observed.ts'
import type { FinishedRequest } from './observe-requests.ts'

export interface ExplainedPlan {
  readonly indexes: readonly string[]
  readonly scanned: number | null
  readonly returned: number | null
}

export interface SlowRequestOptions {
  readonly log: Logger
  readonly thresholdMs: number
  /** Runs the query again. Resolves to null if the command cannot be explained. Never rejects. */
  readonly explain: (command: ObservedCommand) => Promise<ExplainedPlan | null>
  readonly now: () => Date
}

/** Minimum interval between two explanations, because explaining runs the slow query again. */
const EXPLAIN_INTERVAL_MS = 10_000

const MAX_LOGGED_COMMANDS = 5

/** The log contains names of collections and attributes but no values. */
export function logSlowRequests(options: SlowRequestOptions): (finished: FinishedRequest) => void {
  const { log, thresholdMs, explain, now } = options
  let explainedAtMs = -Infinity
  const planOf = async (slowest: ObservedCommand | undefined): Promise<ExplainedPlan | null> => {
    if (slowest === undefined) return null
    const age = now().getTime() - explainedAtMs
    if (age >= 0 && age < EXPLAIN_INTERVAL_MS) return null
    explainedAtMs = now().getTime()
    return explain(slowest)
  }
  return ({ requestId, method, route, status, ms, tally }) => {
    if (ms < thresholdMs) return
    const fields = { requestId, method, route, status, ms: rounded(ms) }
    if (tally === null) {
      log.warn(fields, SLOW)
      return
    }
    const slowestFirst = [...tally.commands].sort((one, other) => other.ms - one.ms)
    const database = { ms: rounded(tally.busyMs), commands: tally.count }
    const slowest = slowestFirst.slice(0, MAX_LOGGED_COMMANDS).map(describe)
    void planOf(slowestFirst.find(({ shape }) => shape !== null)).then((plan) => {
      log.warn({ ...fields, database, slowest, ...(plan !== null && { plan }) }, SLOW)
    })
  }
}

const SLOW = 'A request was slow'

function describe({ name, ms, shape }: ObservedCommand): object {
  return { command: name, ms: rounded(ms), ...shape }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
