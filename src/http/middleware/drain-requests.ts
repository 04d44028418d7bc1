import type { IncomingMessage } from 'node:http'
import type { Middleware } from '../router/state.ts'

/** The rest of a rejected body would block the next request, perhaps of another client of a proxy. */
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
