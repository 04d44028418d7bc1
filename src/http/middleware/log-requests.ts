import type { Logger } from 'pino'
import type { Middleware } from '../state.ts'

/** Longer than any path of use: one line stays a line. */
const MAX_PATH = 512

/** An access key, or anything else as long; a JWT. Who puts one into a path has it in the log of no server. */
const SECRETS = /eyJ[\w-]+\.[\w-]+\.[\w-]+|[\w-]{64,}/g

/**
 * Logs each request by one line at `info`, when all of its answer is sent or its client is gone: the path without
 * its query, which may hold secrets; `bytes` as they went over the socket, the head included; the kind of the
 * principal, null where nobody asked for it; the action whose lack refused the request.
 */
export function logRequests(log: Logger): Middleware {
  return (ctx, next) => {
    if (!log.isLevelEnabled('info')) return next()
    const started = performance.now()
    const { socket } = ctx.req
    const writtenBefore = socket.bytesWritten
    const { method } = ctx
    const path = ctx.path.slice(0, MAX_PATH).replaceAll(SECRETS, '[redacted]')
    ctx.res.once('close', () => {
      const { requestId, missingAction } = ctx.state
      const principal = (ctx.state as Partial<typeof ctx.state>).principal?.kind ?? null
      const ms = Math.round((performance.now() - started) * 10) / 10
      log.info(
        {
          requestId,
          method,
          path,
          status: ctx.res.statusCode,
          ms,
          bytes: socket.bytesWritten - writtenBefore,
          principal,
          ...(missingAction !== undefined && { missingAction }),
          ...(!ctx.res.writableFinished && { aborted: true }),
        },
        'request',
      )
    })
    return next()
  }
}
