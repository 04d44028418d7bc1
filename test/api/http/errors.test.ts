import { expect } from 'chai'
import { gzipSync } from 'node:zlib'
import { ERROR_CODES } from '../../../src/base/error-codes.ts'
import { type Answer, declare, type Sent, serve, type TestServer } from '../../support/server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

describe('invalid requests over HTTP', () => {
  let server: TestServer

  before(async () => {
    server = await serve('errors', {
      contentTypes: {
        thing: declare('thing', {
          title: { type: 'string' },
          body: { type: 'richtext' },
          count: { type: 'integer' },
          big: { type: 'biginteger' },
          price: { type: 'decimal' },
          ratio: { type: 'float' },
          flag: { type: 'boolean' },
          day: { type: 'date' },
          hour: { type: 'time' },
          moment: { type: 'datetime' },
          stamp: { type: 'timestamp' },
          mail: { type: 'email' },
          slug: { type: 'uid' },
          kind: { type: 'enumeration', enum: ['one', 'two'] },
          extra: { type: 'json' },
          content: { type: 'blocks' },
          secret: { type: 'string', private: true },
        }),
      },
    })
  })

  after(() => server.close())

  afterEach('nothing is stored, and nothing looked like a bug', async () => {
    expect(await server.count('thing_versions'), 'stored').to.equal(0)
    expect(server.takeLog(), 'logged').to.deep.equal([])
  })

  function expectError(answer: Answer, status: number, name: string, message: RegExp): void {
    expect([answer.status, answer.body?.error?.name], answer.text).to.deep.equal([status, name])
    expect(answer.body.data).to.equal(null)
    expect(answer.body.error.status).to.equal(status)
    expect(answer.body.error.message).to.match(message)
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8')
    expect(ERROR_CODES).to.include(answer.headers['error-code'])
  }

  const MISSING = /^Missing "data" payload in the request body$/
  const missingAs = (type: string): RegExp =>
    new RegExp(
      `^Missing "data" payload in the request body: Content-Type is ${type}; expected application/json$`,
    )
  const bodies: readonly (readonly [string, Sent, number, string, RegExp])[] = [
    ['malformed JSON', { body: '{"data": ' }, 400, 'SyntaxError', /./],
    ['JSON with a trailing comma', { body: '{"data":{},}' }, 400, 'SyntaxError', /./],
    ['a root string', { body: '"data"' }, 400, 'SyntaxError', /./],
    [
      'JSON cut within a character',
      { body: Buffer.from('{"data":{"title":"é"}}').subarray(0, 18) },
      400,
      'SyntaxError',
      /./,
    ],
    [
      '__proto__ in the body',
      { body: '{"data":{"__proto__":{"a":1}}}' },
      400,
      'SyntaxError',
      /forbidden/,
    ],
    [
      'constructor in the body',
      { body: '{"data":{"constructor":{"prototype":{"a":1}}}}' },
      400,
      'ValidationError',
      /^Invalid key constructor$/,
    ],
    ['no body', { headers: JSON_TYPE }, 400, 'ValidationError', MISSING],
    ['an empty body', { body: '' }, 400, 'ValidationError', MISSING],
    ['an empty object', { body: {} }, 400, 'ValidationError', MISSING],
    ['a root list', { body: [] }, 400, 'ValidationError', MISSING],
    ['null data', { body: { data: null } }, 400, 'ValidationError', MISSING],
    ['a string as data', { body: { data: 'x' } }, 400, 'ValidationError', MISSING],
    ['a number as data', { body: { data: 7 } }, 400, 'ValidationError', MISSING],
    ['false as data', { body: { data: false } }, 400, 'ValidationError', MISSING],
    [
      'plain text',
      { body: '{"data":{}}', headers: { 'content-type': 'text/plain' } },
      400,
      'ValidationError',
      missingAs('text/plain'),
    ],
    [
      'XML',
      { body: '<data/>', headers: { 'content-type': 'application/xml' } },
      400,
      'ValidationError',
      missingAs('application/xml'),
    ],
    [
      'a patch',
      { body: '{"data":{}}', headers: { 'content-type': 'application/merge-patch+json' } },
      400,
      'ValidationError',
      missingAs('application/merge-patch\\+json'),
    ],
    [
      'an invalid content-type',
      { body: '{"data":{}}', headers: { 'content-type': 'nonsense' } },
      400,
      'ValidationError',
      missingAs('nonsense'),
    ],
    [
      'a body without a content-type',
      { body: Buffer.from('{"data":{}}'), headers: { 'content-type': '' } },
      400,
      'ValidationError',
      missingAs('missing'),
    ],
    [
      'JSON sent as a form',
      {
        body: '{"data":{"title":"x"}}',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      400,
      'ValidationError',
      missingAs('application/x-www-form-urlencoded'),
    ],
    [
      'a form without data',
      {
        body: 'title=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      400,
      'ValidationError',
      MISSING,
    ],
    [
      'multipart',
      {
        body: '--b\r\nContent-Disposition: form-data; name="data"\r\n\r\n{"title":"x"}\r\n--b--\r\n',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      },
      400,
      'ValidationError',
      missingAs('multipart/form-data; boundary=b'),
    ],
    [
      'an unknown encoding',
      { body: '{"data":{}}', headers: { 'content-encoding': 'nope' } },
      400,
      'SyntaxError',
      /encoding/i,
    ],
    [
      'invalid gzip',
      { body: '{"data":{}}', headers: { 'content-encoding': 'gzip' } },
      400,
      'SyntaxError',
      /./,
    ],
    [
      'an unknown attribute',
      { body: { data: { nope: 1 } } },
      400,
      'ValidationError',
      /^Invalid key nope$/,
    ],
    [
      'a $-key',
      { body: { data: { $set: { title: 'x' } } } },
      400,
      'ValidationError',
      /^Invalid key \$set$/,
    ],
    [
      'a dotted key',
      { body: { data: { 'extra.a': 1 } } },
      400,
      'ValidationError',
      /^Invalid key extra\.a; did you mean extra\?$/,
    ],
    [
      'an inherited name',
      { body: { data: { toString: 'x' } } },
      400,
      'ValidationError',
      /^Invalid key toString$/,
    ],
    ['the id', { body: { data: { id: 1 } } }, 400, 'ValidationError', /^Invalid key id$/],
    [
      'the documentId',
      { body: { data: { documentId: 'x' } } },
      400,
      'ValidationError',
      /^Invalid key documentId$/,
    ],
    ['the _id', { body: { data: { _id: 'x' } } }, 400, 'ValidationError', /^Invalid key _id$/],
    [
      'the status',
      { body: { data: { status: 'draft' } } },
      400,
      'ValidationError',
      /^Invalid key status$/,
    ],
    [
      'more than a million bytes',
      { body: { data: { body: 'x'.repeat(1_100_000) } } },
      413,
      'PayloadTooLargeError',
      /^request entity too large$/,
    ],
    [
      'ten million bytes',
      { body: { data: { body: 'x'.repeat(10_000_000) } } },
      413,
      'PayloadTooLargeError',
      /./,
    ],
    [
      'ten million compressed bytes',
      {
        body: gzipSync(JSON.stringify({ data: { body: 'x'.repeat(10_000_000) } })),
        headers: { 'content-encoding': 'gzip' },
      },
      413,
      'PayloadTooLargeError',
      /./,
    ],
  ]
  for (const [label, sent, status, name, message] of bodies) {
    it(`refuses ${label}`, async () => {
      expectError(await server.send('POST', '/api/things', sent), status, name, message)
    })
  }

  it('names the content-type of an unread body in the error', async () => {
    const bodies: readonly (readonly [string, string])[] = [
      ['POST', '/api/auth/local'],
      ['POST', '/api/auth/local/register'],
      ['POST', '/api/users'],
      ['POST', '/api/users-permissions/roles'],
      ['POST', '/admin/api-tokens'],
      ['POST', '/admin/roles'],
    ]
    for (const [method, path] of bodies) {
      const body = '{"identifier":"ada"}'
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        const answer = await server.send(method, path, { body, headers: { 'content-type': type } })
        const message = `The request body was not read: Content-Type is ${type}; expected application/json`
        expect([answer.status, answer.body.error?.message], path).to.deep.equal([400, message])
      }
    }
  })

  it('refuses a form with too many fields', async () => {
    const body = Array.from({ length: 1500 }, (_, index) => `data[extra][k${index}]=1`).join('&')
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await server.send('POST', '/api/things', { body, headers })
    expect(answer.status, answer.text).to.equal(400)
  })

  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['title', 7, /^title must be a `string` type, but the final value was: `7`\.$/],
    ['title', { $gt: '' }, /^title must be a `string` type/],
    ['title', ['a'], /^title must be a `string` type/],
    ['title', 'a\0b', /^title/],
    ['title', 'x'.repeat(256), /^title must be at most 255 characters$/],
    ['body', false, /^body must be a `string` type/],
    ['count', 'seven', /^count must be a `number` type/],
    ['count', 1.5, /^count must be an integer$/],
    ['count', 2 ** 31, /^count/],
    ['big', 'x', /^big/],
    ['big', '9223372036854775808', /^big/],
    ['price', 'x', /^price/],
    ['ratio', {}, /^ratio/],
    ['flag', 't', /^flag must be a `boolean` type, but the final value was: `"t"`\.$/],
    ['day', '2024-02-31', /Invalid date$/],
    ['day', 'soon', /Invalid format, expected yyyy-MM-dd$/],
    ['hour', '25:00', /Invalid time format, expected HH:mm:ss\.SSS$/],
    ['moment', 'soon', /Invalid format, expected a timestamp or an ISO date$/],
    ['stamp', 'soon', /./],
    ['mail', 'none', /^mail must be a valid email$/],
    ['slug', 'a b', /^slug must match the following: /],
    ['kind', 'three', /^kind must be one of the following values: one, two/],
    ['extra', 'a\0', /^extra/],
    ['content', 'text', /^content/],
    ['content', [{ type: 'nope', children: [] }], /^content|^Block node/],
  ]
  for (const [name, value, message] of wrong) {
    it(`refuses ${JSON.stringify(value).slice(0, 30)} for ${name}`, async () => {
      const answer = await server.post('/api/things', { [name]: value })
      expectError(answer, 400, 'ValidationError', message)
    })
  }

  it('reports all faults together, each with its path', async () => {
    const answer = await server.post('/api/things', { title: 7, count: 'x', flag: 'maybe' })
    expectError(answer, 400, 'ValidationError', /^3 errors occurred$/)
    const { errors } = answer.body.error.details
    expect(errors.map(({ path }: { readonly path: unknown }) => path)).to.deep.equal([
      ['title'],
      ['count'],
      ['flag'],
    ])
  })

  const queries: readonly (readonly [string, string, string, RegExp])[] = [
    ['an unknown attribute in filters', 'filters[nope]=1', 'ValidationError', /^Invalid key nope$/],
    [
      'an unknown operator',
      'filters[title][$foo]=1',
      'ValidationError',
      /^Invalid key \$foo at title$/,
    ],
    ['an operator of Mongo', 'filters[$where]=1', 'ValidationError', /^Invalid key \$where$/],
    ['a private attribute', 'filters[secret]=1', 'ValidationError', /^Invalid key secret$/],
    ['text on an integer', 'filters[count]=abc', 'ValidationError', /^filters\[count\]\[\$eq\]: /],
    ['text on a biginteger', 'filters[big][$gt]=x', 'ValidationError', /^filters\[big\]\[\$gt\]: /],
    ['text on a decimal', 'filters[price]=x', 'ValidationError', /^filters\[price\]\[\$eq\]: /],
    [
      'garbage on a date',
      'filters[day]=soon',
      'ValidationError',
      /^filters\[day\]\[\$eq\]: Invalid format, expected yyyy-MM-dd$/,
    ],
    [
      'garbage on a datetime',
      'filters[moment]=soon',
      'ValidationError',
      /expected a timestamp or an ISO date$/,
    ],
    ['garbage on a time', 'filters[hour]=soon', 'ValidationError', /expected HH:mm:ss\.SSS$/],
    [
      'a string as filters',
      'filters=x',
      'ValidationError',
      /^The filters parameter must be an object or an array$/,
    ],
    ['sorting by an unknown attribute', 'sort=nope', 'ValidationError', /^Invalid key nope$/],
    ['an unknown order', 'sort=title:up', 'ValidationError', /^Invalid order/],
    ['unknown fields', 'fields=nope', 'ValidationError', /^Invalid key nope$/],
    ['empty fields', 'fields=', 'ValidationError', /^Invalid fields parameter/],
    ['an unknown status', 'status=foo', 'ValidationError', /^status: /],
    [
      'mixed pages',
      'pagination[page]=1&pagination[start]=1',
      'PaginationError',
      /^Cannot use both/,
    ],
    ['a page at the root', 'page=1', 'PaginationError', /^Invalid pagination attributes/],
    ['an invalid cursor', 'pagination[cursor]=abc', 'ValidationError', /^pagination\[cursor\]: /],
    ['30 levels', `filters${'[$not]'.repeat(30)}[title]=a`, 'ValidationError', /./],
    [
      '1,500 parameters',
      Array.from({ length: 1500 }, () => 'a=1').join('&'),
      'ValidationError',
      /./,
    ],
    ['forms mixed in one parameter', 'sort[0]=title&sort[count]=asc', 'ValidationError', /./],
    ['a NUL character', 'filters[title]=a%00b', 'ValidationError', /^filters\[title\]\[\$eq\]: /],
    [
      'a list for one value',
      'filters[title][$ne][][x]=a',
      'ValidationError',
      /^[^:]+: expected one value$/,
    ],
    ['a NUL character in a search', '_q=%00', 'ValidationError', /^_q: /],
  ]
  for (const [label, query, name, message] of queries) {
    it(`refuses ${label}`, async () => {
      expectError(await server.get(`/api/things?${query}`), 400, name, message)
    })
  }

  const harmless: readonly (readonly [string, string])[] = [
    ['a malformed escape in a value', 'filters[title]=%E0%A4%A'],
    ['a lone percent sign', 'filters[title]=100%'],
    ['repeated ampersands', '&&&filters[title]=x&&'],
    ['__proto__', 'filters[__proto__][title]=x&__proto__[a]=1'],
    ['constructor', 'filters[constructor]=x&constructor[prototype][a]=1'],
    ['unknown parameters', 'foo=bar&limit=1&publicationState=live'],
    ['a very high page number', 'pagination[page]=2147483647&pagination[pageSize]=100'],
    ['text that looks like a pattern', 'filters[title][$contains]=(((((a'],
    ['a lone surrogate', 'filters[title][$contains]=%ED%A0%80'],
  ]
  for (const [label, query] of harmless) {
    it(`accepts ${label}`, async () => {
      const answer = await server.get(`/api/things?${query}`)
      expect([answer.status, answer.body?.data], answer.text).to.deep.equal([200, []])
    })
  }

  it('refuses a path that cannot be decoded', async () => {
    for (const target of ['/api/things/%E0%A4%A', '/api/%', '/api/things/%zz/x']) {
      const answer = await server.get(target)
      expectError(answer, 400, 'BadRequestError', /^failed to decode$/)
      expect(answer.body.error).to.not.have.property('details')
    }
    for (const target of ['/admin/roles/%E0%A4%A', '/%E0%A4%A', '/_health/%']) {
      expect((await server.get(target)).status, target).to.be.oneOf([400, 404])
    }
  })

  for (const id of [
    '1',
    'x',
    'A'.repeat(24),
    'a'.repeat(25),
    '$ne',
    '[object Object]',
    '..%2f..',
    '%00',
    'a:en:draft',
  ]) {
    it(`finds no document with the id ${id}`, async () => {
      const target = `/api/things/${encodeURI(id)}`
      expectError(await server.get(target), 404, 'NotFoundError', /^Not Found$/)
      expectError(await server.put(target, {}), 404, 'NotFoundError', /^Not Found$/)
      expect((await server.delete(target)).status).to.equal(204)
    })
  }

  const codes: readonly (readonly [string, string, Sent, string])[] = [
    ['GET', '/api/things?filters[nope]=1', {}, 'invalid_key'],
    ['GET', '/api/things?filters[count]=x', {}, 'invalid_query'],
    ['GET', '/api/things?pagination[page]=1&pagination[start]=1', {}, 'invalid_pagination'],
    ['GET', '/api/things/nothing', {}, 'not_found'],
    ['GET', '/api/nothing', {}, 'not_found'],
    ['PATCH', '/api/things', {}, 'method_not_allowed'],
    ['POST', '/api/things', { body: '{"data": ' }, 'malformed_body'],
    ['POST', '/api/things', { body: '{}' }, 'data_missing'],
    ['POST', '/api/things', { body: '{"data":{"count":"x"}}' }, 'invalid_payload'],
    ['POST', '/api/things', { body: '{"data":{"nope":1}}' }, 'invalid_key'],
    ['GET', '/api/things/%zz', {}, 'malformed_path'],
  ]
  for (const [method, target, sent, code] of codes) {
    it(`responds with ${code} to ${method} ${target}${JSON.stringify(sent)}`, async () => {
      const answer = await server.send(method, target, { headers: JSON_TYPE, ...sent })
      expect(answer.headers['error-code'], answer.text).to.equal(code)
      expect(answer.body.error).to.have.all.keys(
        code === 'malformed_path' || code === 'malformed_body'
          ? ['status', 'name', 'message']
          : ['status', 'name', 'message', 'details'],
      )
    })
  }

  it('still responds after all refused requests', async () => {
    expect((await server.get('/api/things')).status).to.equal(200)
  })
})
