import { everyone, type GuardedRouter, guardedRouter } from '../router/guarded-router.ts'

/** `docsPath` is null if a content-type uses that path. */
export function rootRoutes(docsPath: string | null): GuardedRouter {
  const router = guardedRouter('', { sensitive: true })
  const addresses = { api: '/api', docs: docsPath, health: '/_health' }
  router.get(
    '/',
    everyone((ctx) => {
      ctx.vary('Accept')
      ctx.set('Cache-Control', 'no-cache')
      if (ctx.accepts('json', 'html') === 'html') ctx.redirect('/studio')
      else ctx.body = addresses
      return Promise.resolve()
    }),
  )
  return router
}
