import type { Logger } from 'pino'
import type { CmsError } from '../errors.ts'

/** Failures of one kind are one line in so much time, with how many there were. */
const WINDOW_MS = 10_000
/** Kinds in one window; what comes beyond is counted together. */
const MAX_KINDS = 50

/** Logs failures that are not bugs: an overload has thousands of them, and would fill a disk. */
export type ReportFailure = (error: CmsError, requestId: string) => void

/**
 * The first failure of a message is logged at once, with its cause and without a stack; those that follow
 * within 10 seconds are counted, and logged as one line after it.
 */
export function createFailureReport(log: Logger): ReportFailure {
  const counts = new Map<string, number>()
  const end = (message: string): void => {
    const times = counts.get(message) ?? 0
    counts.delete(message)
    if (times > 0) log.warn({ times, seconds: WINDOW_MS / 1000 }, message)
  }
  return (error, requestId) => {
    const isKnown = counts.has(error.message) || counts.size < MAX_KINDS
    const message = isKnown ? error.message : 'Other requests failed'
    const times = counts.get(message)
    if (times !== undefined) {
      counts.set(message, times + 1)
      return
    }
    counts.set(message, 0)
    log.warn({ requestId, status: error.status, ...causeOf(error) }, message)
    setTimeout(() => end(message), WINDOW_MS).unref()
  }
}

function causeOf({ cause }: CmsError): object {
  if (!(cause instanceof Error)) return {}
  const code = 'code' in cause ? { code: cause.code } : {}
  return { cause: { name: cause.name, message: cause.message, ...code } }
}
