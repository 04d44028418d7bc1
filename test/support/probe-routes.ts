import { NotFoundError } from '../../src/base/errors.ts'
import type { Extension } from '../../src/extensions/extension.ts'

/** Routes of an extension, with an action of its own, with a built-in action, and without one. */
export const PROBE_ROUTES: Extension = {
  name: 'matrix',
  routes: (router) => {
    const handler = (): never => {
      throw new NotFoundError('Not Found')
    }
    router.get('/api/health/:part', { permission: 'api::health.read' }, handler)
    router.post('/api/health', { permission: 'api::article.article.create' }, handler)
    router.patch('/api/health/:part', { permission: 'api::health.change' }, handler)
    router.post('/api/health/:part', { permission: 'api::health.receive', body: 'raw' }, handler)
    router.get('/api/clock', { permission: 'public' }, handler)
    router.patch('/api/clock', { permission: 'public' }, handler)
    router.put('/api/clock', { permission: 'public', body: 'raw' }, handler)
    router.get('/admin/extensions/matrix/stats', { permission: 'api::health.read' }, handler)
    router.patch('/admin/extensions/matrix/stats', { permission: 'api::health.change' }, handler)
    router.post(
      '/admin/extensions/matrix/stats',
      { permission: 'api::health.receive', body: 'raw' },
      handler,
    )
    router.delete('/admin/extensions/matrix/stats', { permission: 'admin::audit.read' }, handler)
  },
}
