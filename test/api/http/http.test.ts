import { expect } from 'chai'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'node:http'
import { declare, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

/** Headers for pages and files only. */
const PAGE_HEADERS = [
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
]

describe('HTTP', () => {
  let server: TestServer
  let documentId: string

  before(async () => {
    server = await serve('http', {
      contentTypes: {
        tag: declare('tag', { name: { type: 'string' }, text: { type: 'text' } }),
        note: declare('note', { text: { type: 'string' } }),
        homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
      },
      permitted: ['api::tag.tag.find', 'api::tag.tag.findOne'],
    })
    const created = await server.post('/api/tags', { name: 'a', text: 'long '.repeat(1000) })
    documentId = created.body.data.documentId
  })

  after(() => server.close())

  afterEach(() => {
    expect(server.takeLog()).to.deep.equal([])
  })

  const allowed: readonly (readonly [string, string, string])[] = [
    ['PATCH', '/api/tags', 'HEAD, GET, POST'],
    ['PUT', '/api/tags', 'HEAD, GET, POST'],
    ['DELETE', '/api/tags', 'HEAD, GET, POST'],
    ['POST', '/api/tags/ID', 'HEAD, GET, PUT, DELETE'],
    ['PATCH', '/api/tags/ID', 'HEAD, GET, PUT, DELETE'],
    ['POST', '/api/homepage', 'HEAD, GET, PUT, DELETE'],
  ]
  for (const [method, path, allow] of allowed) {
    it(`responds with 405 and the allowed methods to ${method} ${path}`, async () => {
      const answer = await server.send(method, path.replace('ID', documentId))
      expect(answer.status, answer.text).to.equal(405)
      expect(answer.headers.allow).to.equal(allow)
      expect(answer.body).to.deep.equal({
        data: null,
        error: {
          status: 405,
          name: 'MethodNotAllowedError',
          message: 'Method Not Allowed',
          details: {},
        },
      })
    })
  }

  const unknown: readonly (readonly [string, string])[] = [
    ['GET', '/api'],
    ['GET', '/api/'],
    ['GET', '/api/nope'],
    ['GET', '/api/tag'],
    ['GET', '/api/homepages'],
    ['GET', '/api/homepage/x'],
    ['GET', '/api/tags//'],
    ['GET', '/api//tags'],
    ['GET', '/api/tags/ID/x'],
    ['GET', '/api/constructor'],
    ['GET', '/api/__proto__'],
    ['GET', '/api/plugin::upload.file'],
    ['GET', '/api/../_health/x'],
    ['POST', '/api/nope'],
    ['PUT', '/nope'],
    ['DELETE', '/api/nope/x'],
    ['POST', '/api/tags/ID/actions/publish'],
  ]
  for (const [method, path] of unknown) {
    it(`responds with 404 to ${method} ${path} for every caller`, async () => {
      for (const token of [ROOT_TOKEN, null, 'nobody']) {
        const answer = await server.send(method, path.replace('ID', documentId), { token })
        expect([answer.status, answer.body], answer.text).to.deep.equal([
          404,
          {
            data: null,
            error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} },
          },
        ])
      }
    })
  }

  it('responds with 501 or 405 to an unknown method, in the error format', async () => {
    const answer = await server.send('PROPFIND', '/api/tags')
    expect(answer.status).to.be.oneOf([405, 501])
    expect(answer.body.error.status).to.equal(answer.status)
  })

  it('ignores a header that overrides the method', async () => {
    const headers = { 'x-http-method-override': 'DELETE' }
    expect((await server.get(`/api/tags/${documentId}`, { headers })).status).to.equal(200)
    expect(await server.count('tag_versions')).to.equal(1)
  })

  for (const path of ['/API/tags', '/api/Tags', '/api/tags/', '/Api/TAGS/?a=1', '/api/tags?']) {
    it(`serves the list at ${path}`, async () => {
      const answer = await server.get(path)
      expect([answer.status, answer.body?.data?.length], answer.text).to.deep.equal([200, 1])
    })
  }

  it('accepts a trailing slash after an entry', async () => {
    expect((await server.get(`/api/tags/${documentId}/`)).status).to.equal(200)
  })

  it('responds to HEAD like GET, without a body', async () => {
    for (const [path, status] of [
      ['/api/tags', 200],
      [`/api/tags/${documentId}`, 200],
      ['/api/tags/x', 404],
      ['/api/nope', 404],
    ] as const) {
      const answer = await server.send('HEAD', path)
      expect([answer.status, answer.text], path).to.deep.equal([status, ''])
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8')
    }
  })

  it('responds to OPTIONS with the allowed methods', async () => {
    const answer = await server.send('OPTIONS', '/api/tags')
    expect([answer.status, answer.text]).to.deep.equal([200, ''])
    expect(answer.headers.allow).to.equal('HEAD, GET, POST')
  })

  it('responds to the preflight of a browser', async () => {
    const answer = await server.send('OPTIONS', '/api/tags', {
      token: null,
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'x-odd',
      },
    })
    expect(answer.status).to.equal(204)
    expect(answer.headers).to.include({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-credentials': 'true',
      'access-control-max-age': '31536000',
      'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
      'access-control-allow-headers':
        'Content-Type,Authorization,Origin,Accept,If-Match,If-None-Match,Idempotency-Key,Quire-After,Quire-Client,Tus-Resumable,Upload-Length,Upload-Metadata,Upload-Offset',
    })
  })

  for (const path of [
    '/metrics',
    '/_health',
    '/_ready',
    '/admin/roles',
    '/admin/session',
    '/mcp',
  ]) {
    it(`sends no CORS headers at ${path}`, async () => {
      const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
        for (const target of [path, `/${path}`, path.toUpperCase(), `${path}/`, `${path}?a=1`]) {
          const answer = await server.send(method, target, { headers })
          const told = Object.keys(answer.headers).filter((name) => name.startsWith('access-'))
          expect(told, `${method} ${target}`).to.deep.equal([])
        }
      }
    })
  }

  it('allows listed origins to read the API and the management, but not the metrics', async () => {
    const listing = await serve('listing', {
      contentTypes: { tag: declare('tag', { name: { type: 'string' } }) },
      environment: { CORS_ORIGIN: 'https://own.example' },
    })
    try {
      for (const [path, own] of [
        ['/api/tags', 'https://own.example'],
        ['/admin/roles', 'https://own.example'],
        ['/metrics', undefined],
        ['/_health', undefined],
      ] as const) {
        for (const [origin, allowed] of [
          ['https://own.example', own],
          ['https://other.example', undefined],
          ['null', undefined],
        ] as const) {
          const answer = await listing.get(path, { headers: { origin } })
          expect(answer.headers['access-control-allow-origin'], `${path} ${origin}`).to.equal(
            allowed,
          )
        }
      }
    } finally {
      await listing.close()
    }
  })

  for (const [label, path] of [
    ['a response', '/api/tags'],
    ['an error', '/api/tags?filters[nope]=1'],
    ['a 404', '/nope'],
  ] as const) {
    it(`sends security headers with ${label}`, async () => {
      const { headers } = await server.get(path, { headers: { origin: 'https://app.example' } })
      expect(headers).to.include({
        'access-control-allow-origin': 'https://app.example',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'content-type': 'application/json; charset=utf-8',
      })
      expect(headers).to.not.have.any.keys(...PAGE_HEADERS)
      expect(headers.vary).to.match(/Origin/)
      expect(headers).to.not.have.property('x-powered-by')
    })
  }

  for (const path of ['/api/docs', '/API/docs/start.js', '/uploads/nothing.png', '/studio/x']) {
    it(`sends the headers of a page at ${path}`, async () => {
      const { headers } = await server.get(path)
      expect(headers).to.include.all.keys('content-security-policy', ...PAGE_HEADERS)
      expect(headers['x-content-type-options']).to.equal('nosniff')
    })
  }

  it('responds in JSON for any Accept header', async () => {
    const answer = await server.get('/api/tags', { headers: { accept: 'text/html' } })
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8')
  })

  it('keeps a valid request id and replaces an invalid one', async () => {
    const own = await server.get('/api/tags', { headers: { 'x-request-id': 'abc-1.2_3' } })
    expect(own.headers['x-request-id']).to.equal('abc-1.2_3')
    for (const id of ['a b', 'x'.repeat(100), '"quoted"']) {
      const answer = await server.get('/nope', { headers: { 'x-request-id': id } })
      expect(answer.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/)
    }
  })

  for (const [encoding, unpack] of [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const) {
    it(`compresses long responses with ${encoding}`, async () => {
      const bytes = await raw(server.port, '/api/tags', { 'accept-encoding': encoding })
      expect(bytes.length).to.be.below(2000)
      expect(JSON.parse(unpack(bytes).toString('utf8'))).to.have.property('data')
    })
  }

  for (const refused of ['identity;q=0', '*;q=0', 'unknown, identity;q=0', 'gzip;q=0, *;q=0']) {
    it(`sends long responses uncompressed for Accept-Encoding: ${refused}`, async () => {
      const answer = await server.get('/api/tags', { headers: { 'accept-encoding': refused } })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.headers).to.not.have.property('content-encoding')
      expect(answer.body).to.have.property('data')
    })
  }

  it('compresses a response without an ETag', async () => {
    const answer = await server.get('/metrics', { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.status).to.equal(200)
    expect(answer.headers).to.include({ 'content-encoding': 'gzip' })
    expect(answer.headers).to.not.have.property('etag')
  })

  it('does not compress short responses', async () => {
    const answer = await server.get('/nope', { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers).to.not.have.property('content-encoding')
  })

  it('is alive and ready', async () => {
    for (const path of ['/_health', '/_ready']) {
      const answer = await server.get(path, { token: null })
      expect([answer.status, answer.text]).to.deep.equal([204, ''])
    }
    expect((await server.send('HEAD', '/_health')).status).to.equal(204)
  })

  it('measures the duration of requests by route, not by path', async () => {
    const { text, status } = await server.get('/metrics', { token: null })
    expect(status).to.equal(200)
    expect(text).to.match(
      /quire_http_request_duration_seconds_count\{method="GET",route="\/api\/tags\/:documentId",status="200"\}/,
    )
    expect(text).to.match(/route="\/api\/tags\/?",status="200"/)
    expect(text).to.not.include(documentId)
    expect(text).to.not.match(/route="[^"]*nope/)
  })
})

/** The raw bytes of a response. */
function raw(port: number, path: string, headers: Record<string, string>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        resolve(Buffer.concat(chunks))
      })
    })
      .on('error', reject)
      .end()
  })
}
