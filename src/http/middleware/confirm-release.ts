import { CmsError } from '../../base/errors.ts'
import type { DocumentContext } from '../../content/context.ts'
import type { Middleware } from '../router/state.ts'

const SHOWS_CONTENT = /^\/+(?:api|admin|mcp)(?:\/|$)/i

/**
 * After a long pause, looks again at the stored types before a response is sent. Transactions do the same themselves.
 * @throws ServiceUnavailableError if another release has rewritten stored values
 */
export function confirmRelease(database: Pick<DocumentContext['database'], 'confirm'>): Middleware {
  return async (ctx, next) => {
    await next()
    if (ctx.status >= 400 || !SHOWS_CONTENT.test(ctx.path)) return
    await database.confirm()?.catch((error: unknown) => {
      // Without a database, some responses need none.
      if (error instanceof CmsError && error.errorCode === 'older_release') throw error
    })
  }
}
