import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'node:http'
import {
  type Answer,
  declare,
  type Json,
  type Sent,
  serve,
  type TestServer,
} from '../../support/server.ts'

const relation = (kind: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target,
  ...more,
})

const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string' },
      body: { type: 'text' },
      tags: relation('manyToMany', 'api::tag.tag', { inversedBy: 'articles' }),
      cover: { type: 'media', multiple: false },
      writer: relation('manyToOne', 'plugin::users-permissions.user'),
    },
    { draftAndPublish: true, localized: true },
  ),
  tag: declare('tag', {
    name: { type: 'string' },
    articles: relation('manyToMany', 'api::article.article', { mappedBy: 'tags' }),
  }),
  secret: declare('secret', { text: { type: 'string' } }),
  home: {
    ...declare('home', { headline: { type: 'string' } }),
    kind: 'singleType',
  },
}

const READ = [
  'api::article.article.find',
  'api::article.article.findOne',
  'api::tag.tag.find',
  'api::home.home.find',
  'plugin::upload.content-api.find',
]

const ANYONE: Sent = { token: null }

describe('cached responses', () => {
  let server: TestServer
  let commands: string[] = []

  before(async () => {
    server = await serve('kept', {
      contentTypes: CONTENT_TYPES,
      permitted: READ,
      locales: ['fr'],
      environment: { CACHE_STALE_MS: '60000' }, // no refresh during the test, even on a slow machine
    })
    server.onCommand(({ name, command }) => {
      const collection = String(command[name])
      if (collection.endsWith('_versions')) commands.push(`${name} ${collection}`)
    })
  })
  after(() => server.close())

  /** The response, and the number of commands on content. */
  const asking = async (target: string, sent: Sent = ANYONE): Promise<[Answer, number]> => {
    commands = []
    const answer = await server.get(target, sent)
    return [answer, commands.length]
  }
  const expectHit = async (target: string, sent: Sent = ANYONE): Promise<Answer> => {
    const [answer, count] = await asking(target, sent)
    expect([answer.status, count], `${target} from memory`).to.deep.equal([200, 0])
    return answer
  }
  const expectMiss = async (target: string, sent: Sent = ANYONE): Promise<Answer> => {
    const [answer, count] = await asking(target, sent)
    expect(answer.status, answer.text).to.equal(200)
    expect(count, `${target} from the database`).to.be.above(0)
    return answer
  }
  const create = async (path: string, data: object, query = ''): Promise<Json> => {
    const answer = await server.post(`/api/${path}${query}`, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }
  const token = async (body: object): Promise<string> => {
    const answer = await server.send('POST', '/admin/api-tokens', { body })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.accessKey
  }

  it('runs no command for a cached list, entry or single type', async () => {
    const { documentId } = await create('articles', { title: 'a' })
    await server.put('/api/home', { headline: 'h' })
    for (const path of ['/api/articles?sort=title', `/api/articles/${documentId}`, '/api/home']) {
      const first = await expectMiss(path)
      const second = await expectHit(path)
      expect(second.text).to.equal(first.text)
      expect(second.headers['etag']).to.equal(first.headers['etag'])
      expect(second.headers['cache-control']).to.equal('public, max-age=0, must-revalidate')
      expect(second.headers['vary'])
        .to.match(/Authorization/)
        .and.match(/Strapi-Response-Format/)
      expect(second.headers['x-request-id']).not.to.equal(first.headers['x-request-id'])
    }
  })

  it('responds with 304 and without a command to a known ETag', async () => {
    await create('articles', { title: 'known' })
    const { headers } = await expectMiss('/api/articles?filters[title]=known')
    const known = { token: null, headers: { 'if-none-match': String(headers['etag']) } }
    const [answer, count] = await asking('/api/articles?filters[title]=known', known)
    expect([answer.status, answer.text, count]).to.deep.equal([304, '', 0])
    expect(answer.headers['etag']).to.equal(headers['etag'])
    expect(answer.headers['cache-control']).to.equal('public, max-age=0, must-revalidate')
    await create('articles', { title: 'known' })
    const [changed] = await asking('/api/articles?filters[title]=known', known)
    expect(changed.status).to.equal(200)
  })

  it('shows writes of this process at once', async () => {
    const { documentId } = await create('articles', { title: 'before' })
    const path = `/api/articles/${documentId}`
    await expectMiss(path)
    await expectHit(path)
    expect((await server.put(path, { title: 'after' })).status).to.equal(200)
    expect((await server.get(path, ANYONE)).body.data.title).to.equal('after')
    await server.delete(path)
    expect((await server.get(path, ANYONE)).status).to.equal(404)
  })

  it('drops a response when a populated, filtered or sorted type changes', async () => {
    const tag = await create('tags', { name: 'old' })
    await create('articles', { title: 'tagged', tags: [tag.documentId] })
    const paths = [
      '/api/articles?populate=tags&filters[title]=tagged',
      '/api/articles?filters[tags][name]=old',
      '/api/tags?filters[articles][title]=tagged&sort=name',
    ]
    for (const path of paths) {
      await expectMiss(path)
      await expectHit(path)
    }
    await server.put(`/api/tags/${tag.documentId}`, { name: 'new' })
    const [populated, filtered, other] = await Promise.all(
      paths.map(async (path) => (await server.get(path, ANYONE)).body.data),
    )
    expect(populated[0].tags[0].name).to.equal('new')
    expect(filtered).to.deep.equal([])
    expect(other[0].name).to.equal('new')
  })

  it('keeps a response when another type changes', async () => {
    await create('articles', { title: 'alone' })
    await expectMiss('/api/articles?filters[title]=alone')
    await create('secrets', { text: 'x' })
    await expectHit('/api/articles?filters[title]=alone')
  })

  it('separates responses by permissions, format, locale and query, but not by spelling', async () => {
    await create('articles', { title: 'apart' })
    const path = '/api/articles?filters[title][$eq]=apart'
    await expectMiss(path)
    await expectHit('/api/articles?filters%5Btitle%5D%5b%24eq%5D=apart')
    await expectHit('/API/Articles?filters[title][$eq]=apart')
    await expectMiss(`${path}&locale=fr`)
    await expectMiss(`${path}&fields=title`)
    await expectMiss(path, { token: null, headers: { 'strapi-response-format': 'v4' } })
    const reader = await token({ name: 'reader', type: 'read-only' })
    const answer = await expectMiss(path, { token: reader })
    expect(answer.headers['cache-control']).to.equal('private, no-cache')
    await expectHit(path, { token: reader })
    const other = await token({ name: 'reader too', type: 'read-only' })
    await expectHit(path, { token: other })
  })

  it('caches no drafts, and no response for a caller that may write', async () => {
    const { documentId } = await create('articles', { title: 'w' })
    const writer = await token({
      name: 'writer',
      type: 'custom',
      permissions: [...READ, 'api::tag.tag.update'],
    })
    const reader = await token({ name: 'drafts', type: 'read-only' })
    for (const path of ['/api/articles', `/api/articles/${documentId}`]) {
      for (const who of [{}, { token: writer }]) {
        await expectMiss(path, who)
        await expectMiss(path, who)
      }
      const drafts = `${path}?status=draft`
      await expectMiss(drafts, { token: reader })
      const draft = await expectMiss(drafts, { token: reader })
      expect(draft.headers['etag']).to.be.a('string')
    }
    await expectMiss('/api/tags?status=draft&populate=articles', { token: reader })
    await expectMiss('/api/tags?status=draft&populate=articles', { token: reader })
  })

  it('caches no response that was read from a secondary', async () => {
    const body = { name: 'near', type: 'read-only', readPreference: 'secondaryPreferred' }
    const near = await token(body)
    await expectMiss('/api/articles?filters[title]=near', { token: near })
    await expectMiss('/api/articles?filters[title]=near', { token: near })
  })

  it('caches no response with users or an estimated count', async () => {
    await create('articles', { title: 'counted' })
    const reader = await token({
      name: 'users',
      type: 'custom',
      permissions: [...READ, 'plugin::users-permissions.user.find'],
    })
    for (const path of [
      '/api/articles?populate=writer',
      '/api/articles?pagination[withCount]=estimate',
    ]) {
      await expectMiss(path, { token: reader })
      await expectMiss(path, { token: reader })
    }
  })

  it('skips and renews a cached response for no-store and no-cache', async () => {
    await create('articles', { title: 'fresh' })
    const path = '/api/articles?filters[title]=fresh'
    const saying = (value: string): Sent => ({ token: null, headers: { 'cache-control': value } })
    await expectMiss(path, saying('no-store'))
    await expectMiss(path, saying('no-cache'))
    await expectMiss(path, saying('max-age=0, no-cache'))
    await expectHit(path)
    await expectHit(path, saying('max-age=0'))
  })

  it('ignores the no-cache that fetch adds to a conditional request', async () => {
    await create('articles', { title: 'fetched' })
    const url = `http://127.0.0.1:${server.port}/api/articles?filters[title]=fetched`
    const first = await fetch(url)
    const etag = String(first.headers.get('etag'))
    commands = []
    const again = await fetch(url, { headers: { 'if-none-match': etag } })
    expect([again.status, commands]).to.deep.equal([304, []])
    const [said] = await asking('/api/articles?filters[title]=fetched', {
      token: null,
      headers: { 'if-none-match': etag, 'cache-control': 'no-cache' },
    })
    expect([said.status, commands]).to.deep.equal([304, []])
  })

  it('drops responses when a permission or a locale is removed', async () => {
    await create('articles', { title: 'right' })
    await server.post('/api/articles?locale=fr', { title: 'droit' })
    await expectMiss('/api/articles?locale=*&filters[title]=right')
    await expectMiss('/api/articles?locale=fr')
    await expectHit('/api/articles?locale=fr')
    const permit = (permissions: readonly string[]) =>
      server.send('PUT', '/admin/roles/public', { body: { permissions } })
    await permit(READ.filter((action) => !action.startsWith('api::article')))
    expect((await server.get('/api/articles?locale=fr', ANYONE)).status).to.equal(403)
    await permit(READ)
    expect((await server.send('DELETE', '/admin/locales/fr')).status).to.equal(200)
    const { body } = await server.get('/api/articles?locale=fr', ANYONE)
    expect(body.data).to.deep.equal([])
  })

  it('sends compressed responses from memory, with an ETag of their own', async () => {
    const body = randomBytes(2_000).toString('hex')
    await create('articles', { title: 'large', body })
    const path = '/api/articles?filters[title]=large'
    const plain = await expectMiss(path)
    for (const [coding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      for (const round of ['first', 'again']) {
        commands = []
        const { headers, bytes } = await raw(server, path, { 'accept-encoding': coding })
        expect(unpack(bytes).toString(), `${coding} ${round}`).to.equal(plain.text)
        expect(headers['content-encoding']).to.equal(coding)
        expect(headers['content-length']).to.equal(String(bytes.length))
        expect(headers['etag']).to.equal(plain.headers['etag']?.replace(/"$/, `-${coding}"`))
        const known = { 'accept-encoding': coding, 'if-none-match': String(headers['etag']) }
        expect((await raw(server, path, known)).status).to.equal(304)
        expect(commands).to.deep.equal([])
      }
    }
    const head = await server.send('HEAD', path, ANYONE)
    expect([head.status, head.text, commands]).to.deep.equal([200, '', []])
    expect(head.headers['etag']).to.equal(plain.headers['etag'])
  })

  it('reads once for simultaneous requests', async () => {
    await create('articles', { title: 'crowd' })
    const path = '/api/articles?filters[title]=crowd&pagination[withCount]=false'
    commands = []
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.get(path, ANYONE)))
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1)
    expect(commands).to.have.length(1)
  })

  it('caches no error', async () => {
    for (const [path, status] of [
      ['/api/articles?filters[nothing]=1', 400],
      ['/api/articles/aaaaaaaaaaaaaaaaaaaaaaaa', 404],
      ['/api/secrets', 403],
    ] as const) {
      for (const round of [1, 2]) {
        const answer = await server.get(path, ANYONE)
        expect(answer.status, `${path} ${round}`).to.equal(status)
        expect(answer.headers['etag']).to.equal(undefined)
      }
    }
  })

  it('counts hits, misses and entries in the metrics', async () => {
    const { text } = await server.get('/metrics', ANYONE)
    const of = (name: string): number =>
      Number(new RegExp(`^quire_answer_cache_${name} (\\S+)$`, 'm').exec(text)?.[1])
    expect(of('hits_total')).to.be.above(10)
    expect(of('misses_total')).to.be.above(10)
    expect(of('evictions_total')).to.equal(0)
    expect(of('entries')).to.be.above(1)
    expect(of('bytes')).to.be.above(4_000).and.below(33_554_432)
  })
})

describe('responses for a CDN', () => {
  let server: TestServer

  before(async () => {
    server = await serve('kept_not', {
      contentTypes: CONTENT_TYPES,
      permitted: READ,
      environment: { CACHE_BYTES: '0', CACHE_MAX_AGE: '30', CACHE_TAGS: 'surrogate-key' },
    })
  })
  after(() => server.close())

  it('lists the types and documents of a response, and its lifetime', async () => {
    const tag = (await server.post('/api/tags', { name: 't' })).body.data.documentId
    const article = (await server.post('/api/articles', { title: 'a', tags: [tag] })).body.data
      .documentId
    const tagsOf = async (path: string, sent = ANYONE) =>
      (await server.get(path, sent)).headers['surrogate-key']
    const all = `api::article.article api::tag.tag ${article} ${tag}`
    expect(await tagsOf('/api/articles?populate=tags')).to.equal(all)
    expect(await tagsOf('/api/articles?populate[tags]=ids')).to.equal(all)
    expect(await tagsOf(`/api/articles/${article}`)).to.equal(`api::article.article ${article}`)
    expect(await tagsOf('/api/articles?status=draft', {})).to.equal(undefined)
    const { headers } = await server.get('/api/articles', ANYONE)
    expect(headers['cache-control']).to.equal('public, max-age=30, stale-while-revalidate=30')
    const known = { token: null, headers: { 'if-none-match': String(headers['etag']) } }
    expect((await server.get('/api/articles', known)).status).to.equal(304)
  })
})

/** A response with its raw bytes. */
function raw(
  { port }: TestServer,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; headers: Answer['headers']; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes })
      })
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}
