import { ServiceUnavailableError } from '../../errors.ts'
import { hasLeft } from '../hang-ups.ts'
import type { Middleware } from '../state.ts'

/** Smaller bodies are not counted: as many as there are connections, they are no matter. */
const SMALL = 65_536

/**
 * Keeps the bodies that clients have not read yet below `maxBytes` together: a client that reads slowly
 * holds its answer in memory. What has been written is answered all the same.
 * @throws ServiceUnavailableError for a read beyond it
 */
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

/** Text, or bytes: streams are read as they are sent. */
function isHeld(body: unknown): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body)
}
