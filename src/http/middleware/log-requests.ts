import type { Logger } from 'pino'
import type { BadRequestReason } from '../router/bad-request-reason.ts'
import type { Middleware } from '../router/state.ts'

/** Longer than any valid path. Limits the length of a log line. */
const MAX_PATH = 512

/** Access keys, other tokens of 64 or more characters, and JWTs. Clients sometimes put them into the path. */
const SECRETS = /eyJ[\w-]+\.[\w-]+\.[\w-]+|[\w-]{64,}/g

/** `path` omits the query, which may contain secrets. `bytes` counts the bytes on the socket, including headers. */
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
