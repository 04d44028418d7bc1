import { expect } from 'chai'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

const CONTENT_TYPES = {
  article: declare(
    'article',
    { title: { type: 'string' } },
    { draftAndPublish: true, localized: true },
  ),
  secret: declare('secret', { name: { type: 'string' } }),
  'queries/feed': { type: 'article', fields: ['title'] },
  homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
}

describe('GET /api/openapi.json', () => {
  let server: TestServer
  before(async () => {
    server = await serve('description', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off', UP_JWT_MANAGEMENT: 'refresh' },
      permitted: ['api::article.article.find'],
    })
  })
  after(() => server.close())

  const read = async (token: string | null): Promise<Json> => {
    const answer = await server.get('/api/openapi.json', { token })
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }

  it('describes only the permitted routes to anonymous callers', async () => {
    const description = await read(null)
    expect(Object.keys(description.paths)).to.deep.equal(['/api/articles'])
    expect(JSON.stringify(description)).to.not.match(/secret/i)
  })

  it('describes every route under /api to root', async () => {
    const { paths } = await read(ROOT_TOKEN)
    const described = Object.entries<object>(paths).flatMap(([address, methods]) =>
      Object.keys(methods).map((method) => `${method} ${address.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    )
    const declared = server.routes
      .filter(({ access, path }) => access !== 'everyone' && path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path.replace('{*provider}', ':provider')}`)
    expect(described.sort()).to.deep.equal(declared.sort())
    expect(declared.length).to.be.above(30)
  })

  it('responds with 304 until permissions or locales change', async () => {
    const first = await server.get('/api/openapi.json', { token: null })
    const headers = { 'If-None-Match': String(first.headers.etag) }
    expect(first.headers.vary).to.match(/Authorization/)
    expect((await server.get('/api/openapi.json', { token: null, headers })).status).to.equal(304)
    expect((await server.get('/api/openapi.json', { headers })).status).to.equal(200)
    await server.send('POST', '/admin/locales', { body: { code: 'nl' } })
    const changed = await server.get('/api/openapi.json', { token: null, headers })
    expect(changed.status).to.equal(200)
    expect(changed.text).to.include('"nl"')
    const permissions = ['api::article.article.find', 'api::secret.secret.find']
    await server.send('PUT', '/admin/roles/public', { body: { permissions } })
    expect(Object.keys((await read(null)).paths)).to.deep.equal(['/api/articles', '/api/secrets'])
  })

  it('responds with 401 to an unknown token', async () => {
    expect((await server.get('/api/openapi.json', { token: 'f'.repeat(64) })).status).to.equal(401)
  })
})

describe('GET /api/docs', () => {
  let server: TestServer
  before(async () => {
    server = await serve('docs_page', { contentTypes: CONTENT_TYPES })
  })
  after(() => server.close())

  it('loads files of this server only', async () => {
    const page = await server.get('/api/docs', { token: null })
    expect(page.status).to.equal(200)
    expect(page.headers['content-type']).to.match(/^text\/html/)
    const policy = String(page.headers['content-security-policy'])
    expect(policy).to.include("default-src 'none'").and.to.include("script-src 'self'")
    const named = [...page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, name]) => name)
    expect(named).to.deep.equal([
      'docs/swagger-ui.css',
      'docs/swagger-ui-bundle.js',
      'docs/start.js',
    ])
    for (const name of named) {
      const asset = await server.get(`/api/${name}`, { token: null })
      expect(asset.status, name).to.equal(200)
      expect(asset.headers['content-type']).to.match(/^text\/(?:css|javascript)/)
      const headers = { 'If-None-Match': String(asset.headers.etag) }
      expect((await server.get(`/api/${name}`, { token: null, headers })).status).to.equal(304)
    }
    expect(page.text).to.not.match(/https?:/)
  })

  it('serves no other files of the package', async () => {
    for (const name of ['package.json', 'index.html', '..%2fpackage.json', 'swagger-ui.js']) {
      expect((await server.get(`/api/docs/${name}`, { token: null })).status, name).to.equal(404)
    }
  })
})

describe('a content-type with the plural name docs', () => {
  it('replaces the docs page', async () => {
    const server = await serve('type_docs', {
      contentTypes: { doc: declare('doc', { title: { type: 'string' } }) },
      permitted: ['api::doc.doc.find'],
    })
    const answer = await server.get('/api/docs', { token: null })
    await server.close()
    expect(answer.body.data).to.deep.equal([])
  })
})
