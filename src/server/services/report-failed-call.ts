import type { Logger } from 'pino'
import type { FailedCall } from '../../extensions/extension-host.ts'

/** Logs the cause with the name of the extension. Responses have neither. */
export function reportFailedCall(log: Pick<Logger, 'error'>): (failed: FailedCall) => void {
  return ({ extension, call, requestId, error: err }) =>
    log.error({ err, extension, requestId }, `Extension ${extension}: ${call} failed`)
}
