import { ServiceUnavailableError } from '../../base/errors.ts'
import { hasLeft } from '../answer/hang-ups.ts'
import type { Middleware } from '../router/state.ts'

/** Smaller bodies are not counted: they are negligible even for every open connection. */
const SMALL = 65_536

/** A slow client holds its response in memory. Writes are exempt: their changes are already stored. */
export function limitUnsent(maxBytes: number): Middleware {
  let unsent = 0
  return async (ctx, next) => {
    await next()
    const body: unknown = ctx.body
    if (!isHeld(body) || body.length < SMALL) return
    const { length } = body
    if (unsent + length > maxBytes && (ctx.method === 'GET' || ctx.method === 'HEAD')) {
      throw new ServiceUnavailableError(
        'Too many large answers at a time',
        {},
        { code: 'overloaded' },
      )
    }
    if (hasLeft(ctx.res)) return
    unsent += length
    ctx.res.once('close', () => {
      unsent -= length
    })
  }
}

/** Streams are not counted, because they are read while they are sent. */
function isHeld(body: unknown): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body)
}
