import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import {
  type Answer,
  declare,
  type Json,
  ROOT_TOKEN,
  type Sent,
  serve,
  type TestServer,
} from '../../support/server.ts'

const CANARY = 'canaryword'

const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', required: true, pluginOptions: { i18n: { localized: true } } },
      views: { type: 'integer' },
      body: { type: 'blocks' },
      sections: { type: 'dynamiczone', components: ['shared.quote', 'shared.note'] },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      hidden: {
        type: 'relation',
        relation: 'manyToOne',
        target: `api::${CANARY}.${CANARY}`,
      },
      secret: { type: 'string', private: true },
    },
    { draftAndPublish: true, localized: true },
  ),
  tag: declare('tag', { name: { type: 'string' } }, { search: { name: 1 } }),
  homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
  [CANARY]: declare(CANARY, { name: { type: 'string' } }),
  'components/shared/quote': { attributes: { text: { type: 'text' } } },
  'components/shared/note': { attributes: { note: { type: 'string' } } },
}

const STATELESS = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

describe('POST /mcp', () => {
  let server: TestServer
  let agent: string
  before(async () => {
    server = await serve('mcp', {
      contentTypes: CONTENT_TYPES,
      locales: ['de'],
      environment: { RATE_LIMIT: 'off', LOG_LEVEL: 'silent' },
      permitted: ['api::tag.tag.find'],
    })
    agent = await token(
      'agent',
      ['find', 'findOne', 'create', 'update', 'readDrafts'].map(
        (verb) => `api::article.article.${verb}`,
      ),
    )
  })
  after(() => server.close())

  const token = async (name: string, permissions: readonly string[]): Promise<string> => {
    const body = { name, type: 'custom', permissions }
    const made = await server.send('POST', '/admin/api-tokens', { body })
    expect(made.status, made.text).to.equal(201)
    return made.body.data.accessKey
  }

  const post = (body: unknown, sent: Sent = {}): Promise<Answer> =>
    server.send('POST', '/mcp', { body, ...sent })

  const rpc = (method: string, params: object = {}, sent: Sent = {}): Promise<Answer> =>
    post({ jsonrpc: '2.0', id: 1, method, params }, sent)

  /** The result of a tool, and whether it is an error. */
  const call = async (name: string, args: object, key = ROOT_TOKEN): Promise<Json> => {
    const answer = await rpc('tools/call', { name, arguments: args }, { token: key })
    expect(answer.status, answer.text).to.equal(200)
    const { content, isError } = answer.body.result
    return { ...JSON.parse(content[0].text), isError }
  }

  const failure = async (name: string, args: object, key = ROOT_TOKEN): Promise<Json> => {
    const { error, isError } = await call(name, args, key)
    expect(isError, JSON.stringify(args)).to.equal(true)
    return error
  }

  const connect = async (mode: 'legacy' | { pin: string }, key: string): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    const url = new URL(`http://127.0.0.1:${server.port}/mcp`)
    const headers = { Authorization: `Bearer ${key}` }
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    return client
  }

  for (const mode of ['legacy', { pin: STATELESS }] as const) {
    it(`serves the official client, ${mode === 'legacy' ? 'with a handshake' : 'stateless'}`, async () => {
      const client = await connect(mode, agent)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).to.deep.equal([
        'describe',
        'find',
        'get',
        'create',
        'update',
        'unpublish_or_discard',
      ])
      const args = { type: 'article', data: { title: 'By an agent' } }
      const made = await client.callTool({ name: 'create', arguments: args })
      expect(made.isError).to.equal(false)
      const wrong = { type: 'tag', documentId: 'x' }
      const refused = await client.callTool({ name: 'get', arguments: wrong })
      expect(refused.isError).to.equal(true)
      await client.close()
    })
  }

  it('finds entries by relevance', async () => {
    await call('create', { type: 'tag', data: { name: 'Northern glaciers' } })
    const names = async (rank: string): Promise<readonly string[]> => {
      const { data } = await call('find', { type: 'tag', rank })
      return data.map(({ name }: Json) => name)
    }
    await until(async () => (await names('glacier')).length === 1, 20_000)
    expect(await names('southern')).to.deep.equal([])
    const rank = { query: 'glacierz', highlights: ['name'] }
    const { data, meta } = await call('find', { type: 'tag', rank })
    expect(data).to.have.lengthOf(1)
    expect(meta.search).to.deep.equal({
      terms: ['glaciers'],
      corrected: { glacierz: 'glaciers' },
      highlights: [{ name: ['Northern ', 'glaciers', ''] }],
    })
    const refused = await failure('find', { type: 'tag', rank: { query: 'x', facets: ['name'] } })
    expect(refused.message).to.equal('search[facets]: name has no facet')
    const { message } = await failure('find', { type: 'article', rank: 'glacier' })
    expect(message).to.equal('search: this content-type has no option search')
  })

  it('describes types by JSON Schemas that match valid writes', async () => {
    const { types, locales } = await call('describe', {}, agent)
    expect(types.map(({ type }: Json) => type)).to.deep.equal(['article'])
    expect(locales).to.deep.equal({ default: 'en', all: ['en', 'de'] })
    const described = await call('describe', { type: 'article' }, agent)
    expect(JSON.stringify(described)).to.not.include(CANARY)
    const { create, entry, $defs, populate, relations } = described
    // Hidden from readers, but writable.
    expect($defs[entry.$ref.split('/').at(-1)].properties).to.not.have.property('secret')
    expect([populate, relations]).to.deep.equal([['sections', 'localizations'], []])
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({
      ...create,
      $defs,
    })
    const quote = { __component: 'shared.quote', text: 'q' }
    expect(validate({ title: 'x', sections: [quote] })).to.equal(true)
    expect(validate({ title: 'x', sections: [{ ...quote, note: 'n' }] })).to.equal(false)
    expect(validate({ titel: 'x' })).to.equal(false)
    expect((await failure('describe', { type: 'tag' }, agent)).status).to.equal(403)
  })

  it('creates, changes, publishes and unpublishes an entry', async () => {
    const { data, revision } = await call('create', {
      type: 'article',
      data: { title: 'Draft', views: 3 },
    })
    const { documentId } = data
    const named = { type: 'article', documentId }
    const isPublic = async (): Promise<boolean> =>
      (await server.get(`/api/articles/${documentId}`)).status === 200
    expect(await isPublic()).to.equal(false)
    const found = await call('find', {
      type: 'article',
      filters: { views: { $gt: 2 } },
      pageSize: 5,
    })
    expect(found.data.map(({ title }: Json) => title)).to.deep.equal(['Draft'])
    const changed = await call('update', { ...named, data: { title: 'Changed' }, revision })
    const late = await failure('update', { ...named, data: { title: 'Late' }, revision })
    expect(late.status).to.equal(412)
    expect((await failure('update', { ...named, data: {} })).message).to.match(/^revision/)
    await call('publish', named)
    expect(await isPublic()).to.equal(true)
    const again = await call('get', named)
    expect(again.data.title).to.equal('Changed')
    expect(changed.revision).to.not.equal(revision)
    await call('update', { ...named, data: { title: 'Worse' }, revision: again.revision })
    await call('unpublish_or_discard', { ...named, action: 'discard' })
    expect((await call('get', named)).data.title).to.equal('Changed')
    await call('unpublish_or_discard', { ...named, action: 'unpublish' })
    expect(await isPublic()).to.equal(false)
    const german = { ...named, locale: 'de', data: { title: 'Deutsch' } }
    await call('update', { ...german, revision: null })
    expect((await failure('update', { ...german, revision: null })).status).to.equal(412)
    expect(await call('delete', { ...named, locale: '*' })).to.include({ deleted: true })
    expect((await failure('get', named)).status).to.equal(404)
  })

  it('publishes on request, and supports single types', async () => {
    const made = await call('create', { type: 'article', data: { title: 'Now' }, publish: true })
    const { documentId } = made.data
    expect((await server.get(`/api/articles/${documentId}`)).status).to.equal(200)
    const home = { type: 'homepage', data: { title: 'Welcome' } }
    await call('update', { ...home, revision: null })
    expect((await call('get', { type: 'homepage' })).data.title).to.equal('Welcome')
    for (const name of ['find', 'create']) {
      expect((await failure(name, name === 'find' ? { type: 'homepage' } : home)).status).to.equal(
        400,
      )
    }
    expect((await failure('publish', { type: 'tag', documentId: 'x' })).message).to.match(
      /no drafts/,
    )
  })

  it('limits each call to the permissions of its token', async () => {
    const reader = await token('reader', ['api::tag.tag.find', 'api::article.article.find'])
    const article = { type: 'article', data: { title: 'x' } }
    const calls: readonly (readonly [string, object])[] = [
      ['get', { type: 'tag', documentId: 'x' }],
      ['create', article],
      ['create', { type: 'tag', data: {} }],
      ['update', { ...article, documentId: 'x', revision: 'r' }],
      ['publish', { type: 'article', documentId: 'x' }],
      ['unpublish_or_discard', { type: 'article', documentId: 'x', action: 'unpublish' }],
      ['unpublish_or_discard', { type: 'article', documentId: 'x', action: 'discard' }],
      ['delete', { type: 'tag', documentId: 'x' }],
      ['find', { type: CANARY }],
      ['find', { type: 'article', status: 'draft' }],
    ]
    for (const [name, args] of calls) {
      const { status } = await failure(name, args, reader)
      expect(status, `${name} ${JSON.stringify(args)}`).to.equal(403)
    }
    const hidden = { type: 'article', filters: { hidden: { name: 'x' } } }
    expect((await failure('find', hidden, reader)).status).to.equal(400)
    const { tools } = (await rpc('tools/list', {}, { token: reader })).body.result
    expect(tools.map(({ name }: Json) => name)).to.deep.equal(['describe', 'find'])
    expect(JSON.stringify(tools)).to.not.include(CANARY)
  })

  it('accepts API tokens only, even if the public role permits everything', async () => {
    expect((await rpc('tools/list', {}, { token: null })).status).to.equal(401)
    expect((await rpc('tools/list', {}, { token: 'nobody' })).status).to.equal(401)
    const role = { permissions: ['plugin::users-permissions.auth.register'] }
    await server.send('PUT', '/admin/roles/public', { body: role })
    const body = { username: 'ada', email: 'ada@example.org', password: 'correct horse' }
    const { jwt } = (await server.send('POST', '/api/auth/local/register', { body, token: null }))
      .body
    expect((await rpc('tools/list', {}, { token: jwt })).status).to.equal(403)
  })

  it('refuses requests from pages of other origins and unknown hosts', async () => {
    const list = (headers: Record<string, string>) => rpc('tools/list', {}, { headers })
    const evil = { origin: 'http://evil.example', host: 'evil.example' }
    expect((await list(evil)).status).to.equal(403)
    expect((await list({ origin: 'null' })).status).to.equal(403)
    expect((await list({})).status).to.equal(200)
  })

  it('refuses malformed messages', async () => {
    const stateless = (method: string, headers: object, params: object = {}): Promise<Answer> =>
      rpc(method, { ...params, _meta: META }, { headers: { ...headers } })
    const version = { 'mcp-protocol-version': STATELESS }
    const cases: readonly (readonly [Promise<Answer>, number, number | null])[] = [
      [post([]), 400, -32600],
      [post([{ jsonrpc: '2.0', id: 1, method: 'ping' }]), 400, -32600],
      [post({ id: 1, method: 'ping' }), 400, -32600],
      [post({ jsonrpc: '2.0', id: {}, method: 'ping' }), 400, -32600],
      [post('{'), 400, null],
      [rpc('tools/call', { name: 'drop' }), 200, -32602],
      [rpc('tools/call', { name: 'find', arguments: [] }), 200, -32602],
      [rpc('nothing'), 200, -32601],
      [rpc('ping', {}, { headers: { 'mcp-protocol-version': '1999-01-01' } }), 400, -32022],
      [rpc('tools/list', { _meta: META }), 400, -32020],
      [stateless('tools/list', version), 400, -32020],
      [stateless('tools/list', { ...version, 'mcp-method': 'tools/call' }), 400, -32020],
      [stateless('nothing', { ...version, 'mcp-method': 'nothing' }), 404, -32601],
      [
        stateless('subscriptions/listen', { ...version, 'mcp-method': 'subscriptions/listen' }),
        200,
        -32603,
      ],
      [
        stateless(
          'tools/call',
          { ...version, 'mcp-method': 'tools/call', 'mcp-name': 'find' },
          { name: 'delete', arguments: {} },
        ),
        400,
        -32020,
      ],
    ]
    for (const [asked, status, code] of cases) {
      const { status: got, body, text } = await asked
      expect(
        [got, typeof body.error === 'object' && 'code' in body.error ? body.error.code : null],
        text,
      ).to.deep.equal([status, code])
    }
    const notification = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([notification.status, notification.text]).to.deep.equal([202, ''])
    for (const method of ['GET', 'DELETE']) {
      expect((await server.send(method, '/mcp')).status, method).to.equal(405)
    }
  })

  it('refuses invalid arguments, and passes only operands to the database', async () => {
    for (const [name, args, message] of [
      ['find', { type: 'article', filter: {} }, /^filter: there is no such argument/],
      ['find', { type: 'nothing' }, /^type: must be a content-type/],
      ['find', { type: { $ne: null } }, /^type: must be/],
      ['find', { type: 'article', filters: { title: null } }, /null is not a value/],
      ['find', { type: 'article', filters: { $where: 'x' } }, /^Invalid key \$where/],
      ['find', { type: 'article', filters: { title: { $param: 'x' } } }, /\$param|Invalid/],
      ['find', { type: 'article', filters: { secret: 'x' } }, /^Invalid key/],
      ['find', { type: 'article', page: 'two' }, /integer/],
      ['get', { type: 'article', documentId: { $ne: 'x' } }, /^documentId: must be/],
      ['create', { type: 'article', data: [] }, /^data: must be/],
      ['create', { type: 'article', data: { title: 'x' }, publish: 'yes' }, /^publish: must be/],
      ['create', { type: 'article', data: { nothing: 1 } }, /Invalid key nothing/],
    ] as const) {
      const error = await failure(name, args)
      expect(error.message, JSON.stringify(args)).to.match(message)
      expect(error.status).to.equal(400)
    }
  })
})

describe('MCP=off', () => {
  it('closes the route', async () => {
    const server = await serve('mcp_off', { contentTypes: {}, environment: { MCP: 'off' } })
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await server.send('POST', '/mcp', { body })).status).to.equal(404)
    await server.close()
  })
})
