import { expect } from 'chai'
import { compileActions, contentAction } from '../../../src/people/access/actions.ts'
import {
  guardedRouter,
  type DeclaredRoute,
  everyone,
  permitted,
} from '../../../src/http/router/guarded-router.ts'
import { authRoutes } from '../../../src/http/routes/auth-routes.ts'
import { connectRoutes } from '../../../src/http/routes/connect-routes.ts'
import { contentRoutes } from '../../../src/http/content/api-routes.ts'
import { localeRoutes } from '../../../src/http/routes/locale-routes.ts'
import { roleRoutes } from '../../../src/http/routes/role-routes.ts'
import { uploadRoutes } from '../../../src/http/routes/upload-routes.ts'
import { userRoutes } from '../../../src/http/routes/user-routes.ts'
import { sampleSchema } from '../../people/access/sample-schema.ts'

const pass = (): Promise<void> => Promise.resolve()

/** Replaces the dependencies of handlers, which declarations do not use. */
const dependencies = {
  accounts: { sessions: {} },
  authenticate: pass,
  readBody: pass,
  limits: null,
} as never

describe('routes with access rules', () => {
  const schema = sampleSchema()
  const actions = compileActions(schema)
  const declared: readonly DeclaredRoute[] = [
    ...[...schema.contentTypes.values()]
      .filter(({ uid }) => uid.startsWith('api::'))
      .map((plan) => contentRoutes(plan, dependencies)),
    authRoutes(dependencies),
    connectRoutes(dependencies),
    userRoutes(dependencies),
    roleRoutes(dependencies),
    uploadRoutes(dependencies),
    localeRoutes(pass, dependencies, { strictQuery: false }),
  ].flatMap((router) => router.declared)

  it('declares a known action for every guarded route', () => {
    const wrong = declared.filter(
      ({ access }) =>
        typeof access === 'object' && !('action' in access && actions.has(access.action)),
    )
    expect(wrong).to.deep.equal([])
    const find = contentAction({ uid: 'api::article.article' }, 'find')
    expect(declared).to.deep.include({
      method: 'get',
      path: '/api/articles',
      access: { action: find },
    })
  })

  it('allows anonymous requests to /api/auth pages only', () => {
    const open = declared.filter(({ access }) => access === 'everyone')
    expect(
      open.every(({ method, path }) => method === 'get' && path.startsWith('/api/auth/')),
    ).to.equal(true)
  })

  it('rejects a handler without an access rule', () => {
    const router = guardedRouter('/api/x')
    const handler = (): Promise<void> => Promise.resolve()
    router.get('/open', everyone(handler))
    router.get('/', permitted('api::x.x.find', handler))
    // @ts-expect-error A handler without an access rule is a type error.
    expect(() => router.get('/loose', handler)).to.throw()
    expect(router.declared.map(({ path }) => path)).to.deep.equal(['/api/x/open', '/api/x'])
  })
})
