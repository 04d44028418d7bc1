import { Readable } from 'node:stream'
import { ValidationError } from '../../base/errors.ts'
import type { DocumentContext } from '../../content/context.ts'
import type { Context, Middleware } from '../router/state.ts'

/** In the response to a write: a time of the cluster. In a read: the time that the read must not precede. */
export const QUIRE_AFTER = 'Quire-After'

type Database = DocumentContext['database']

const OF_API = /^\/+api(?:\/|$)/i
const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Adds the time to successful responses of writes under `/api`. It is at least the time of the write. The headers of a
 * stream precede its writes.
 */
export function sendWrittenTime(database: Pick<Database, 'clusterTime'>): Middleware {
  return async (ctx, next) => {
    await next()
    if (!WRITES.has(ctx.method) || ctx.status >= 400 || !OF_API.test(ctx.path)) return
    if (ctx.body instanceof Readable) return
    // Another process may have done the work of a replayed request.
    const isReplayed = ctx.state.isReplayed === true || ctx.res.hasHeader('Idempotency-Replayed')
    const time = await database.clusterTime(isReplayed).catch(() => null) // the write has succeeded
    if (time !== null) ctx.set(QUIRE_AFTER, time)
  }
}

/** Must run before `readFrom`. Shared caches must not store the response for others. @throws ValidationError */
export async function readAfter(
  ctx: Context,
  database: Pick<Database, 'judgeTime'>,
): Promise<void> {
  ctx.vary(QUIRE_AFTER)
  const said = ctx.headers[QUIRE_AFTER.toLowerCase()]
  if (said === undefined) return
  const time = String(said).trim()
  const judged = await database.judgeTime(time)
  if (judged === 'malformed') throw invalid('expected the value of the response to a write')
  if (judged === 'future') throw invalid('the database has not reached this time')
  ctx.set('Cache-Control', 'private, no-cache')
  ctx.state.after = time
}

function invalid(reason: string): ValidationError {
  const code = 'invalid_header'
  return new ValidationError(`${QUIRE_AFTER}: ${reason}`, { header: QUIRE_AFTER }, { code })
}
