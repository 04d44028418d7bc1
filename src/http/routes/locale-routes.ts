import { pluginAction } from '../../people/access/actions.ts'
import type { Locales } from '../../content/locales/locales.ts'
import { type GuardedRouter, guardedRouter, permitted } from '../router/guarded-router.ts'
import type { Middleware } from '../router/state.ts'
import { assertOnlyParameters, type StrictOptions } from '../reads/strict-request.ts'

const LIST = pluginAction('plugin::i18n.locales', 'listLocales')

export function localeRoutes(
  authenticate: Middleware,
  locales: Pick<Locales, 'current'>,
  api: StrictOptions,
): GuardedRouter {
  const router = guardedRouter('/api/i18n')
  const list = permitted(LIST, async (ctx) => {
    assertOnlyParameters(ctx, api)
    ctx.body = (await locales.current()).all
  })
  router.get('/locales', authenticate, list)
  return router
}
