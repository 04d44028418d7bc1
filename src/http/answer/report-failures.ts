import type { Logger } from 'pino'
import type { CmsError } from '../../base/errors.ts'

const WINDOW_MS = 10_000
const MAX_KINDS = 50

/** Logs failures that are not bugs. An overload causes thousands of them, which would fill a disk. */
export type ReportFailure = (error: CmsError, requestId: string) => void

/** Logs the first failure with a message at once. Repetitions within 10 seconds become one line. */
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
