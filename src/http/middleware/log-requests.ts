import type { Logger } from 'pino'
import type { BadRequestReason } from '../bad-request-reason.ts'
import type { Middleware } from '../state.ts'

/** Longer than any path of use: one line stays a line. */
const MAX_PATH = 512

/** An access key, or anything else as long; a JWT. Who puts one into a path has it in the log of no server. */
const SECRETS = /eyJ[\w-]+\.[\w-]+\.[\w-]+|[\w-]{64,}/g

/**
 * Logs each request by one line at `info`, when all of its answer is sent or its client is gone: the path without
 * its query, which may hold secrets; `bytes` as they went over the socket, the head included; the kind of the
 * principal, null where nobody asked for it; the action whose lack refused the request; the reason of a 400.
 */
export function logRequests(log: Logger): Middleware {
  return (ctx, next) => {
    if (!log.isLevelEnabled('info')) return next()
    const started = performance.now()
    const { socket } = ctx.req
    const writtenBefore = socket.bytesWritten
    const { method } = ctx
    const path = redact(ctx.path.slice(0, MAX_PATH))
    ctx.res.once('close', () => {
      const { requestId, missingAction, badRequest } = ctx.state
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
          ...(badRequest !== undefined && withoutSecrets(badRequest)),
          ...(!ctx.res.writableFinished && { aborted: true }),
        },
        'request',
      )
    })
    return next()
  }
}

function redact(text: string): string {
  return text.replaceAll(SECRETS, '[redacted]')
}

function withoutSecrets({ code, reason, paths }: BadRequestReason): BadRequestReason {
  return {
    code,
    ...(reason !== undefined && { reason: redact(reason) }),
    ...(paths !== undefined && { paths: paths.map(redact) }),
  }
}
