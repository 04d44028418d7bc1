import type { ServerResponse } from 'node:http'

const HANG_UPS: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
])

/** Errors of Node's HTTP parser carry the unparsed bytes, which must not be logged. */
export function isHangUp(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return HANG_UPS.has(code) || code.startsWith('HPE_')
}

/** `closed` alone stays false for a pipelined response that was never started. */
export function hasLeft({ closed, destroyed, req }: ServerResponse): boolean {
  return closed || destroyed || req.socket.destroyed
}

/** Aborts when the client disconnects. */
export function leavingSignal(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  if (hasLeft(response)) left.abort()
  response.once('close', () => left.abort())
  return left.signal
}

export function callerOf(response: ServerResponse) {
  return {
    hasLeft: () => hasLeft(response),
    onLeave: (listener: () => void) => {
      response.once('close', listener)
      return () => response.off('close', listener)
    },
  }
}
