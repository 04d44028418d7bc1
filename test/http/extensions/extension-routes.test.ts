import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import {
  ConflictError,
  ExtensionError,
  ForbiddenError,
  NotFoundError,
  ValidationError,
} from '../../../src/base/errors.ts'
import type { Extension } from '../../../src/extensions/extension.ts'
import type { ExtensionRequest } from '../../../src/extensions/extension-route.ts'
import { openHost } from '../../../src/extensions/extension-host.ts'
import { addAdministrator, addRole, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const NOTHING = Symbol('no response')

/** The handlers of the tests, by the name in the path. */
const handlers = new Map<string, (ctx: ExtensionRequest) => void | Promise<void>>()
let aborted = 0

const probe: Extension = {
  name: 'probe',
  routes: (router) => {
    const run = (ctx: ExtensionRequest): void | Promise<void> =>
      handlers.get(String(ctx.params['name']))?.(ctx)
    for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
      router[method]('/api/probe/:name', { permission: 'public' }, run)
    }
    for (const method of ['post', 'put', 'patch'] as const) {
      router[method]('/api/hooks/:name', { permission: 'public', body: 'raw' }, run)
    }
    router.post(
      '/api/receivers/one',
      { permission: 'api::receiver.call', body: 'raw', schema: { summary: 'Receive a payment' } },
      () => undefined,
    )
    router.get('/api/health', { permission: 'api::health.read' }, (ctx) => {
      ctx.body = { ok: true, principal: ctx.principal }
    })
    router.post(
      '/api/orders/:id',
      {
        permission: 'api::article.article.create',
        schema: {
          summary: 'Order an article',
          query: {
            type: 'object',
            properties: {
              count: { type: 'integer', minimum: 1 },
              tags: { type: 'array', items: { type: 'string' } },
            },
            required: ['count'],
            additionalProperties: false,
          },
          body: {
            type: 'object',
            properties: {
              title: { type: 'string', minLength: 1 },
              mail: { type: 'string', format: 'email' },
            },
            required: ['title'],
            additionalProperties: false,
          },
          response: {
            type: 'object',
            properties: { data: { type: 'object' } },
            required: ['data'],
          },
        },
      },
      async (ctx) => {
        const { articles } = ctx.content
        const data = await articles?.create({ title: 'From a route' }, { as: ctx.principal })
        ctx.status = 201
        ctx.body = { data: { ...data, query: ctx.query, body: ctx.requestBody } }
      },
    )
    router.get('/admin/extensions/probe/stats', { permission: 'api::probe.stats' }, (ctx) => {
      ctx.body = { by: ctx.principal.kind }
    })
    router.post('/admin/extensions/probe/stats', { permission: 'admin::audit.read' }, (ctx) => {
      ctx.body = ctx.requestBody as object
    })
    router.patch(
      '/admin/extensions/probe/stats',
      { permission: 'api::probe.stats', body: 'raw' },
      (ctx) => {
        ctx.body = ctx.requestBody as Buffer
      },
    )
  },
}

describe('routes of extensions', () => {
  let server: TestServer

  before(async () => {
    server = await serve('extension_routes', {
      contentTypes: { article: declare('article', { title: { type: 'string' } }) },
      environment: { API_MAX_BYTES: '65536', MAX_BODY_BYTES: '2048', MAX_IN_FLIGHT: '3' },
      extensions: [probe],
    })
  })
  after(() => server.close())
  afterEach(() => {
    server.takeLog()
  })

  function handle(handler: (ctx: ExtensionRequest) => void | Promise<void>): string {
    const name = `handler-${handlers.size}`
    handlers.set(name, handler)
    return `/api/probe/${name}`
  }

  describe('responses', () => {
    const responses: readonly [
      string,
      (ctx: ExtensionRequest) => void,
      number,
      unknown,
      string | undefined,
    ][] = [
      ['an object', (ctx) => void (ctx.body = { a: [1] }), 200, '{"a":[1]}', 'application/json'],
      ['a list', (ctx) => void (ctx.body = [1]), 200, '[1]', 'application/json'],
      ['a text', (ctx) => void (ctx.body = '<b>x</b>'), 200, '<b>x</b>', 'text/plain'],
      ['an empty text', (ctx) => void (ctx.body = ''), 200, '', 'text/plain'],
      [
        'bytes',
        (ctx) => void (ctx.body = Buffer.from('xyz').subarray(1)),
        200,
        'yz',
        'application/octet-stream',
      ],
      ['nothing', () => undefined, 204, '', undefined],
      [
        'a stream with a type',
        (ctx) => {
          ctx.set('Content-Type', 'text/csv')
          ctx.body = Readable.from(['a,', 'b'])
        },
        200,
        'a,b',
        'text/csv',
      ],
      [
        'a status',
        (ctx) => {
          ctx.status = 418
          ctx.body = { tea: true }
        },
        418,
        '{"tea":true}',
        'application/json',
      ],
    ]
    for (const [label, handler, status, text, type] of responses) {
      it(`send ${label}`, async () => {
        const answer = await server.get(handle(handler))
        expect([answer.status, answer.text]).to.deep.equal([status, text])
        expect(answer.headers['content-type']?.split(';')[0]).to.equal(type)
        expect(answer.headers['x-request-id']).to.be.a('string')
      })
    }

    it('have the headers of the handler', async () => {
      const path = handle((ctx) => {
        ctx.set('X-Own', 'yes')
        ctx.status = 302
        ctx.set('Location', '/elsewhere')
      })
      const { status, headers } = await server.get(path)
      expect([status, headers['x-own'], headers['location']]).to.deep.equal([
        302,
        'yes',
        '/elsewhere',
      ])
    })
  })

  describe('requests', () => {
    it('have method, path, parameters, query, headers and body', async () => {
      const path = handle((ctx) => {
        const { method, params, query, requestBody, headers, principal } = ctx
        ctx.body = {
          method,
          path: ctx.path,
          params,
          query,
          requestBody,
          own: headers['x-own'],
          principal,
        }
      })
      const { body } = await server.send('PUT', `${path}?a[b]=1&c=2`, {
        body: { x: [1] },
        headers: { 'x-own': 'yes' },
        token: null,
      })
      expect(body).to.deep.equal({
        method: 'PUT',
        path,
        params: { name: path.split('/').at(-1) },
        query: { a: { b: '1' }, c: '2' },
        requestBody: { x: [1] },
        own: 'yes',
        principal: { kind: 'anonymous', id: null, name: null },
      })
    })

    it('are refused like those of built-in routes', async () => {
      let calls = 0
      const path = handle(() => void (calls += 1))
      const refused: readonly [Promise<{ status: number }>, number][] = [
        [server.send('POST', path, { body: '{' }), 400],
        [server.send('POST', path, { body: { x: 'x'.repeat(4_000) } }), 413],
        [server.send('POST', path, { body: JSON.stringify(nested(1_000)) }), 400],
        [server.send('GET', path, { token: 'unknown' }), 401],
        [server.send('PATCH', '/api/health'), 405],
        [server.send('PATCH', path, { body: '{' }), 400],
        [server.send('PATCH', path, { body: { x: 'x'.repeat(4_000) } }), 413],
        [server.send('GET', '/api/probe'), 404],
        [server.send('GET', `/api/probe/%E0%A4%A`), 400],
      ]
      for (const [answer, status] of refused) expect((await answer).status).to.equal(status)
      expect(calls).to.equal(0)
    })

    it('are checked against the schema before the handler runs', async () => {
      const send = (query: string, body: unknown) =>
        server.send('POST', `/api/orders/7${query}`, { body })
      const good = await send('?count=2&tags=a', { title: 'x', mail: 'a@example.org' })
      expect(good.status, good.text).to.equal(201)
      expect(good.body.data.query).to.deep.equal({ count: 2, tags: ['a'] })
      const faulty: readonly [string, unknown, string][] = [
        ['?count=0', { title: 'x' }, 'count: must be >= 1'],
        ['?count=x', { title: 'x' }, 'count: must be integer'],
        ['', { title: 'x' }, `count: must have required property 'count'`],
        ['?count=1&more=1', { title: 'x' }, 'more: must NOT have additional properties'],
        ['?count=1', {}, `title: must have required property 'title'`],
        ['?count=1', { title: 1 }, 'title: must be string'],
        ['?count=1', { title: 'x', mail: 'x' }, 'mail: must match format "email"'],
        ['?count=1', [], 'body: must be object'],
        ['?count=1', undefined, 'body: must be object'],
      ]
      for (const [query, body, message] of faulty) {
        const answer = await send(query, body)
        expect(answer.status, answer.text).to.equal(400)
        expect(answer.body.error.message).to.equal(message)
        expect(answer.body.error.details.errors[0].path).to.be.an('array')
      }
    })
  })

  describe('raw bodies', () => {
    const receive = (
      handler: (ctx: ExtensionRequest) => void | Promise<void>,
      init: RequestInit,
    ): Promise<Response> => {
      const target = handle(handler).replace('/api/probe/', '/api/hooks/')
      return fetch(`http://127.0.0.1:${server.port}${target}`, { method: 'POST', ...init })
    }
    const sendBack = (ctx: ExtensionRequest): void => {
      if (!Buffer.isBuffer(ctx.requestBody)) throw new Error('not a Buffer')
      ctx.body = ctx.requestBody
    }

    it('let a handler check a signature over the received bytes', async () => {
      const sign = (bytes: Buffer | string): string =>
        createHmac('sha256', 'secret').update(bytes).digest('hex')
      const body = '{"amount": 1.0,\n "event":"paid"}'
      const response = await receive(
        (ctx) => {
          const bytes = ctx.requestBody as Buffer
          if (ctx.headers['x-signature'] !== sign(bytes)) throw new ForbiddenError('no')
          ctx.body = { event: (JSON.parse(bytes.toString()) as { event: string }).event }
        },
        { body, headers: { 'content-type': 'application/json', 'x-signature': sign(body) } },
      )
      expect(await response.json()).to.deep.equal({ event: 'paid' })
    })

    const bodies: readonly [string, RequestInit, Buffer][] = [
      ['bytes without a type', { body: Buffer.from([0, 255, 128]) }, Buffer.from([0, 255, 128])],
      ['no body', {}, Buffer.alloc(0)],
      [
        'a form of PATCH',
        { method: 'PATCH', body: new URLSearchParams({ a: 'é' }) },
        Buffer.from('a=%C3%A9'),
      ],
      [
        'a compressed body of PUT',
        { method: 'PUT', body: gzipSync('{'), headers: { 'content-encoding': 'gzip' } },
        Buffer.from('{'),
      ],
    ]
    for (const [label, init, bytes] of bodies) {
      it(`have ${label} as a Buffer`, async () => {
        const response = await receive(sendBack, init)
        expect(response.status).to.equal(200)
        expect(Buffer.from(await response.arrayBuffer())).to.deep.equal(bytes)
      })
    }

    it('have the limits of other bodies', async () => {
      const packed = { 'content-encoding': 'gzip' }
      const refused: readonly [RequestInit, number][] = [
        [{ body: 'x'.repeat(4_000) }, 413],
        [{ body: gzipSync('x'.repeat(4_000)), headers: packed }, 413],
        [{ body: 'no gzip', headers: packed }, 400],
        [{ body: 'x', headers: { 'content-encoding': 'zstd' } }, 400],
        [{ body: 'x', headers: { authorization: 'Bearer unknown' } }, 401],
      ]
      let calls = 0
      for (const [init, status] of refused) {
        const response = await receive(() => void (calls += 1), init)
        expect(response.status, await response.text()).to.equal(status)
      }
      expect(calls).to.equal(0)
    })

    it('reach handlers below /admin', async () => {
      const answer = await server.send('PATCH', '/admin/extensions/probe/stats', { body: '{ }' })
      expect([answer.status, answer.text]).to.deep.equal([200, '{ }'])
    })
  })

  describe('permissions', () => {
    it('are actions that roles and tokens can be granted', async () => {
      const read = (token: string | null) => server.get('/api/health', { token })
      expect((await read(null)).status).to.equal(403)
      const granted = await server.send('PUT', '/admin/roles/public', {
        body: { permissions: ['api::health.read'] },
      })
      expect(granted.status, granted.text).to.equal(200)
      expect((await read(null)).body).to.deep.equal({
        ok: true,
        principal: { kind: 'anonymous', id: null, name: null },
      })
      const make = (name: string, permissions: readonly string[]) =>
        server.send('POST', '/admin/api-tokens', { body: { name, type: 'custom', permissions } })
      const token = await make('reader', ['api::health.read'])
      expect((await read(token.body.data.accessKey)).body.principal).to.include({ name: 'reader' })
      const other = await make('other', ['api::article.article.find'])
      expect((await read(other.body.data.accessKey)).status).to.equal(403)
      const unknown = await make('unknown', ['api::health.raed'])
      expect(unknown.text).to.include('did you mean api::health.read?')
    })

    it('let a handler write with the rights of the caller', async () => {
      const send = (token: string | null) =>
        server.send('POST', '/api/orders/1?count=1', { body: { title: 'x' }, token })
      expect((await send(null)).status).to.equal(403)
      const token = await server.send('POST', '/admin/api-tokens', {
        body: { name: 'writer', type: 'custom', permissions: ['api::article.article.create'] },
      })
      expect((await send(token.body.data.accessKey)).status).to.equal(201)
    })

    it('keep routes below /admin for administrators with the action', async () => {
      const stats = '/admin/extensions/probe/stats'
      expect((await server.get(stats, { token: null })).status).to.equal(401)
      const token = await server.send('POST', '/admin/api-tokens', {
        body: { name: 'full', type: 'full-access' },
      })
      expect((await server.get(stats, { token: token.body.data.accessKey })).status).to.equal(403)
      expect((await server.get(stats)).body).to.deep.equal({ by: 'root' })
      await addRole(server, 'stats', ['api::probe.stats'])
      await addAdministrator(server, 'Ada', ['stats'])
      const client = await signIn(server, 'ada@example.org')
      expect((await client.send('GET', stats)).body).to.deep.equal({ by: 'administrator' })
      expect((await client.send('POST', stats, {})).status).to.equal(403)
    })
  })

  describe('the description', () => {
    it('has the routes with a schema, for callers with the permission', async () => {
      const all = await server.get('/api/openapi.json')
      const { post } = all.body.paths['/api/orders/{id}']
      expect(post.summary).to.equal('Order an article')
      expect(post.parameters.map(({ name }: Json) => name)).to.deep.equal(['id', 'count', 'tags'])
      expect(post.requestBody.content['application/json'].schema.required).to.deep.equal(['title'])
      expect(post.responses['2XX'].content).to.have.keys('application/json')
      const receiver = all.body.paths['/api/receivers/one'].post
      expect(receiver.requestBody.content).to.deep.equal({ '*/*': { schema: {} } })
      expect(receiver.responses['2XX'].content).to.deep.equal({
        'application/json': { schema: {} },
        '*/*': { schema: {} },
      })
      expect(all.body.paths).not.to.have.any.keys('/api/health', '/api/probe/{name}')
      const anonymous = await server.get('/api/openapi.json', { token: null })
      expect(Object.keys(anonymous.body.paths)).not.to.include('/api/orders/{id}')
    })
  })

  describe('faulty handlers', () => {
    const thrown: readonly [Error, number][] = [
      [new ValidationError('no good'), 400],
      [new ForbiddenError('not you'), 403],
      [new NotFoundError('gone'), 404],
      [new ConflictError('taken'), 409],
    ]
    for (const [error, status] of thrown) {
      it(`may refuse a request with ${status}`, async () => {
        const answer = await server.get(handle(() => Promise.reject(error)))
        expect(answer.status).to.equal(status)
        expect(answer.body.error).to.include({ status, message: error.message })
        expect(server.takeLog()).to.deep.equal([])
      })
    }

    const broken: readonly [string, (ctx: ExtensionRequest) => void | Promise<void>][] = [
      ['throws', () => Promise.reject(new Error('secret of the code'))],
      [
        'throws at once',
        () => {
          throw new Error('secret of the code')
        },
      ],
      ['sets an invalid status', (ctx) => void (ctx.status = 99)],
      ['sets a status that is no number', (ctx) => void (ctx.status = NaN)],
      ['sets an invalid header', (ctx) => ctx.set('x y', '1')],
      ['sets a header with a line break', (ctx) => ctx.set('x', 'a\r\nSet-Cookie: b=1')],
      ['sets a header of the connection', (ctx) => ctx.set('Transfer-Encoding', 'chunked')],
      ['returns a circle', (ctx) => void (ctx.body = circle())],
      ['returns a bigint', (ctx) => void (ctx.body = { a: 1n })],
      ['returns a number', (ctx) => void (ctx.body = 1 as unknown as object)],
      ['returns a symbol', (ctx) => void (ctx.body = NOTHING as unknown as object)],
      ['returns a huge object', (ctx) => void (ctx.body = { text: 'x'.repeat(70_000) })],
      ['returns a huge text', (ctx) => void (ctx.body = 'x'.repeat(70_000))],
      ['returns huge bytes', (ctx) => void (ctx.body = Buffer.alloc(70_000))],
    ]
    for (const [label, handler] of broken) {
      it(`are a 500 and named in the log: one that ${label}`, async () => {
        const answer = await server.get(handle(handler))
        expect([answer.status, answer.body.error.message]).to.deep.equal([
          500,
          'Internal Server Error',
        ])
        expect(answer.text).not.to.match(/secret|probe/)
        const lines = server.takeLog().filter(({ level }) => level >= 50)
        expect(lines.map(({ extension }) => extension)).to.deep.equal(['probe'])
        expect(lines[0].msg).to.equal('Extension probe: get /api/probe/:name failed')
        expect(lines[0].requestId).to.equal(answer.headers['x-request-id'])
      })
    }

    describe('with a short deadline', () => {
      let givenMs: number
      before(() => {
        givenMs = server.host.routeTimeoutMs
        server.host.routeTimeoutMs = 500
      })
      after(() => {
        server.host.routeTimeoutMs = givenMs
      })

      it('are cut off, with an aborted signal and a closed content service', async () => {
        let late: unknown = null
        const path = handle(async (ctx) => {
          await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
          aborted += 1
          late = await ctx.content['articles']
            ?.find({}, { as: 'system' })
            .catch((error: unknown) => String(error))
        })
        const answer = await server.get(path)
        expect([answer.status, answer.body.error.name]).to.deep.equal([
          503,
          'ServiceUnavailableError',
        ])
        await until(() => late !== null, 20_000)
        expect(late).to.include('deadline')
        expect(aborted).to.equal(1)
      })

      it('leave their place to others', async () => {
        const hanging = handle(() => new Promise(() => undefined))
        const good = handle((ctx) => void (ctx.body = 'ok'))
        const answers = await Promise.all(Array.from({ length: 6 }, () => server.get(hanging)))
        for (const { status } of answers) expect(status).to.equal(503)
        expect((await server.get(good)).text).to.equal('ok')
      })
    })

    it('are aborted when the client closes the connection', async () => {
      let isAborted = false
      const path = handle(
        ({ signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              isAborted = true
              resolve()
            })
            leaving.abort()
          }),
      )
      const leaving = new AbortController()
      const url = `http://127.0.0.1:${server.port}${path}`
      await fetch(url, { signal: leaving.signal }).catch(() => undefined)
      await until(() => isAborted, 20_000)
      expect(server.takeLog()).to.deep.equal([])
    })

    it('close the connection when their stream fails', async () => {
      const path = handle((ctx) => {
        ctx.body = Readable.from(failing())
      })
      const outcome = await server.get(path).then(
        ({ status }) => status,
        () => 'closed',
      )
      expect(outcome).to.equal('closed')
      const lines = server.takeLog().filter(({ level }) => level >= 50)
      expect(lines.map(({ extension }) => extension)).to.deep.equal(['probe'])
    })

    it('do not keep streams of refused responses open', async () => {
      const streams = [Readable.from(endless()), Readable.from(endless())]
      const path = handle((ctx) => {
        for (const stream of streams) ctx.body = stream
        throw new Error('after all')
      })
      expect((await server.get(path)).status).to.equal(500)
      for (const stream of streams) expect(stream.destroyed).to.equal(true)
    })

    it('destroy an endless stream when the client leaves', async () => {
      const stream = Readable.from(endless())
      const path = handle((ctx) => void (ctx.body = stream))
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`)
      const reader = response.body?.getReader()
      await reader?.read()
      await reader?.cancel()
      await until(() => stream.destroyed, 20_000)
    })
  })
})

describe('the start of a server with faulty routes', () => {
  const handler = (): void => undefined
  const open = { permission: 'public' }

  async function faultsOf(routes: NonNullable<Extension['routes']>): Promise<readonly string[]> {
    try {
      const server = await serve('faulty_routes', {
        contentTypes: {
          article: declare('article', { title: { type: 'string' } }),
          home: declare('home', { title: { type: 'string' } }, { kind: 'singleType' }),
        },
        extensions: [{ name: 'probe', routes }],
      })
      await server.close()
      return []
    } catch (error) {
      if (error instanceof ExtensionError) return error.faults
      throw error
    }
  }

  it('names every path that meets another one', async () => {
    const faults = await faultsOf((router) => {
      const paths = [
        '/api/articles',
        '/api/Articles/x',
        '/api/home/x',
        '/api/auth/x',
        '/api/_sync',
        '/api/_own',
        '/api/users/x',
        '/api/upload',
        '/api/openapi.json',
        '/api/docs',
        '/api/i18n',
        '/api',
        '/api/',
        '/api/:id',
        '/api/x/../y',
        '/api/x/{y}',
        '/api/x/*y',
        '/api/x//y',
        '/api/x/y/',
        '/other',
        '/admin/extensions/other/x',
        '/admin/extensions/probe',
        '/admin/roles',
        'api/x',
      ]
      for (const path of paths) router.get(path, { permission: 'api::x.read' }, handler)
      expect(paths).to.have.length(24)
    })
    expect(faults).to.have.length(24)
    expect(faults[0]).to.equal(
      'extension "probe": routes: get /api/articles: /api/articles belongs to the content-type api::article.article',
    )
    expect(faults[4]).to.include('names that begin with _ belong to Quire')
  })

  const faulty: readonly [string, NonNullable<Extension['routes']>, string][] = [
    [
      'no permission',
      (router) => router.get('/api/x', {} as typeof open, handler),
      'must be public',
    ],
    [
      'no options',
      (router) => router.get('/api/x', handler as unknown as typeof open, handler),
      'the second argument must name a permission',
    ],
    [
      'a malformed permission',
      (router) => router.get('/api/x', { permission: 'read' }, handler),
      'an action such as api::health.read',
    ],
    [
      'an action of administrators below /api',
      (router) => router.get('/api/x', { permission: 'admin::audit.read' }, handler),
      'is for routes below /admin only',
    ],
    [
      'an unknown action of administrators',
      (router) =>
        router.get('/admin/extensions/probe/x', { permission: 'admin::audit.raed' }, handler),
      'there is no action admin::audit.raed',
    ],
    [
      'a public route below /admin',
      (router) => router.get('/admin/extensions/probe/x', open, handler),
      'need an action, not public',
    ],
    [
      'a raw body of a method without body',
      (router) => router.get('/api/x', { ...open, body: 'raw' }, handler),
      'body: a get request has no body',
    ],
    [
      'a raw body with a schema',
      (router) => router.post('/api/x', { ...open, body: 'raw', schema: { body: {} } }, handler),
      'body: a raw body has no schema',
    ],
    [
      'an unknown kind of body',
      (router) => router.patch('/api/x', { ...open, body: 'row' as 'raw' }, handler),
      'body: must be parsed or raw',
    ],
    [
      'no handler',
      (router) => router.get('/api/x', open, undefined as unknown as typeof handler),
      'the third argument must be a function',
    ],
    [
      'an unknown option',
      (router) => router.get('/api/x', { ...open, permision: 1 } as typeof open, handler),
      'did you mean permission?',
    ],
    [
      'an invalid schema',
      (router) => router.post('/api/x', { ...open, schema: { body: { type: 'objekt' } } }, handler),
      'schema.body',
    ],
    [
      'a repeated route',
      (router) => {
        router.get('/api/x/:id', open, handler)
        router.get('/api/X/:name', open, handler)
      },
      'extension "probe" has it already',
    ],
    [
      'an error of the function itself',
      () => {
        throw new Error('no key')
      },
      'routes: no key',
    ],
  ]
  for (const [label, routes, message] of faulty) {
    it(`names ${label}`, async () => {
      const faults = await faultsOf(routes)
      expect(faults).to.have.length(1)
      expect(faults[0]).to.include('extension "probe": routes: ').and.include(message)
    })
  }

  it('has a deadline for handlers by default', () => {
    expect(openHost().routeTimeoutMs).to.equal(30_000)
  })
})

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)]
}

function circle(): object {
  const one: Record<string, unknown> = {}
  one['self'] = one
  return one
}

function* failing(): Generator<string> {
  yield 'a'
  throw new Error('disk')
}

async function* endless(): AsyncGenerator<string> {
  for (;;) {
    yield 'x'.repeat(1_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
