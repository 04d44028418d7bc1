import { expect } from 'chai'
import { PROBE_ROUTES } from '../../support/probe-routes.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

describe('caching of responses that depend on the caller', () => {
  let server: TestServer
  before(async () => {
    server = await serve('private_answers', {
      editableTypes: true,
      extensions: [PROBE_ROUTES],
      contentTypes: {
        note: declare('note', { title: { type: 'string' } }, { search: { title: 1 } }),
        'queries/feed': { type: 'note' },
      },
      environment: { LOG_LEVEL: 'silent', RATE_LIMIT: 'off' },
      permitted: ['api::note.note.find'],
    })
  })
  after(() => server.close())

  const concrete = (path: string): string =>
    path.replaceAll(/\{\*\w+\}/g, 'nothing').replaceAll(/:\w+/g, 'nothing')

  it('forbids shared caches to keep a response to a credential, even a wrong one', async () => {
    const guarded = server.routes.filter(
      ({ access }) =>
        typeof access === 'object' ||
        ['writers', 'syncers', 'searchers', 'programs'].includes(access),
    )
    expect(guarded.length).to.be.above(30)
    const wrong: string[] = []
    for (const { method, path } of guarded) {
      for (const token of ['nobody knows this one', undefined]) {
        const { headers } = await server.send(method.toUpperCase(), concrete(path), {
          ...(token !== undefined && { token }),
          ...(method !== 'get' && method !== 'delete' && { body: {} }),
        })
        const { 'cache-control': cacheControl = '', vary = '' } = headers
        const kept = /private|no-store/.test(cacheControl)
        if (kept && /\bAuthorization\b/i.test(vary)) continue
        wrong.push(`${method} ${path}: Cache-Control ${cacheControl}, Vary ${vary}`)
      }
    }
    expect(wrong).to.deep.equal([])
  })

  it('sends Vary: Authorization to anonymous callers', async () => {
    const { status, headers } = await server.get('/api/notes', { token: null })
    expect(status).to.equal(200)
    expect(headers.vary).to.match(/\bAuthorization\b/)
    expect(headers['cache-control']).to.equal('public, max-age=0, must-revalidate')
  })

  it('forbids caches to keep errors, on any route', async () => {
    const wrong: string[] = []
    let errors = 0
    const asked = server.routes.map(({ method, path }) => [method.toUpperCase(), concrete(path)])
    asked.push(['GET', '/api/no-such-thing'], ['GET', '/no-such-thing'], ['PATCH', '/api/notes'])
    asked.push(['GET', '/api/notes?sort=nothing'], ['GET', '/uploads/nothing.png?v=1'])
    for (const [method = '', path = ''] of asked) {
      const { status, headers } = await server.send(method, path, {
        token: null,
        ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
      })
      if (status < 400) continue
      errors += 1
      const cacheControl = headers['cache-control']
      if (cacheControl !== 'no-store') wrong.push(`${method} ${path}: ${status}, ${cacheControl}`)
    }
    expect(errors).to.be.above(60)
    expect(wrong).to.deep.equal([])
  })

  it('forbids caches to keep health checks', async () => {
    for (const path of ['/_health', '/_ready']) {
      const { status, headers } = await server.get(path, { token: null })
      expect([path, status, headers['cache-control']]).to.deep.equal([path, 204, 'no-store'])
    }
  })
})
