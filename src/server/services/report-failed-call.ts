import { inspect } from 'node:util'
import type { Logger } from 'pino'
import type { FailedCall } from '../../extensions/extension-host.ts'

/** Logs the cause with the name of the extension. Responses have neither. */
export function reportFailedCall(log: Pick<Logger, 'error'>): (failed: FailedCall) => void {
  return ({ extension, call, requestId, error }) => {
    const err = error instanceof Error ? error : new Error(shown(error))
    log.error({ err, extension, requestId }, `Extension ${extension}: ${call} failed`)
  }
}

const MAX_SHOWN = 1_000

/** Anything can be thrown, and the log shows errors only. */
function shown(thrown: unknown): string {
  return `thrown: ${inspect(thrown, { depth: 1 })}`.slice(0, MAX_SHOWN)
}
