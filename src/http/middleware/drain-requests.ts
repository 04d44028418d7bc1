import type { IncomingMessage } from 'node:http'
import type { Middleware } from '../state.ts'

/**
 * Drops what is left of a body once its answer is sent. One that was refused half way would else stand before the next
 * request of its connection, which a proxy may have given to somebody else by then. Of bodies that nobody has begun to
 * read, Node does so by itself.
 */
export function drainRequests(): Middleware {
  return ({ req, res }, next) => {
    if (!hasBody(req)) return next()
    res.once('finish', () => {
      req.unpipe()
      req.resume()
    })
    return next()
  }
}

/** https://www.rfc-editor.org/rfc/rfc9112#section-6.3 */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
