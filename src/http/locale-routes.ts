import { Router } from '@koa/router'
import type { Access } from '../access/access.ts'
import { pluginAction } from '../access/actions.ts'
import { assertMay } from '../access/permissions.ts'
import type { Locales } from '../documents/locales.ts'
import { authenticate } from './authenticate.ts'
import type { RequestState } from './state.ts'

const LIST = pluginAction('plugin::i18n.locales', 'listLocales')

/** `GET /api/i18n/locales`: a bare list, outside of the envelope, as in the reference. */
export function localeRoutes(
  access: Pick<Access, 'principalOf'>,
  locales: Pick<Locales, 'current'>,
): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: '/api/i18n' })
  router.get('/locales', authenticate(access), async (ctx) => {
    assertMay(ctx.state.principal, LIST)
    ctx.body = (await locales.current()).all
  })
  return router
}
