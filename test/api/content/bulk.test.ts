import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { WRITE_COMMANDS } from '../../faults/mongod-answers.ts'
import { until } from '../../support/until.ts'
import {
  type Answer,
  declare,
  type Json,
  ROOT_TOKEN,
  serve,
  type TestServer,
} from '../../support/server.ts'

const UNIQUE = { type: 'string', unique: true } as const
const LOCAL = { pluginOptions: { i18n: { localized: true } } }

const CONTENT_TYPES = {
  'components/shared/link': {
    attributes: {
      label: { type: 'string' },
      tag: { type: 'relation', relation: 'oneToOne', target: 'api::tag.tag' },
    },
  },
  tag: declare('tag', {
    name: UNIQUE,
    colour: { type: 'string' },
    private_name: { type: 'string', unique: true, private: true },
  }),
  person: declare('person', {
    email: { type: 'email', unique: true },
    name: { type: 'string', required: true },
    articles: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::article.article',
      mappedBy: 'author',
    },
  }),
  article: declare(
    'article',
    {
      slug: UNIQUE,
      title: { type: 'string', required: true },
      price: { type: 'decimal' },
      at: { type: 'datetime' },
      extra: { type: 'json' },
      author: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::person.person',
        inversedBy: 'articles',
      },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      links: { type: 'component', component: 'shared.link', repeatable: true },
    },
    { draftAndPublish: true },
  ),
  page: {
    ...declare('page', { slug: { ...UNIQUE, ...LOCAL }, title: { type: 'string', ...LOCAL } }),
    ...LOCAL,
  },
  homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
}

const NDJSON = { 'Content-Type': 'application/x-ndjson' }

describe('POST /api/_bulk', () => {
  let server: TestServer
  before(async () => {
    server = await serve('bulk', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off', MAX_BODY_BYTES: '20000' },
      locales: ['fr'],
    })
  })
  after(() => server.close())

  const bulk = (
    lines: readonly (object | string)[],
    { query = '', token = ROOT_TOKEN }: { query?: string; token?: string | null } = {},
  ): Promise<Answer> => {
    const body = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    const sent = { headers: NDJSON, body: `${body.join('\n')}\n`, token }
    return server.send('POST', `/api/_bulk${query}`, sent)
  }

  /** The responses, one per line. */
  const run = async (
    lines: readonly (object | string)[],
    options = {},
  ): Promise<readonly Json[]> => {
    const { status, text, headers } = await bulk(lines, options)
    expect(status, text).to.equal(200)
    expect(headers['content-type']).to.equal('application/x-ndjson')
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  const upsert = (type: string, key: object, data: object, more: object = {}): object => ({
    op: 'upsert',
    type,
    key,
    data,
    ...more,
  })

  const results = (answers: readonly Json[]): readonly string[] =>
    answers.map(({ line, status, result, code }) => `${line} ${status} ${result ?? code}`)

  const one = async (path: string): Promise<Json> => {
    const { body, text } = await server.get(path)
    expect(body.data, text).to.have.length(1)
    return body.data[0]
  }

  it('creates entries with relations to earlier lines, and writes no data the second time', async () => {
    const lines = [
      upsert('tag', { name: 'red' }, { colour: 'red' }),
      upsert('person', { email: 'ada@example.org' }, { name: 'Ada' }),
      upsert(
        'api::article.article',
        { slug: 'first' },
        {
          title: 'First',
          price: '1.50',
          at: '2024-05-06T07:08:09.000Z',
          extra: { b: 1, a: [1, 2.5, null] },
          author: { key: { email: 'ada@example.org' } },
          tags: [{ key: { name: 'red' } }],
          links: [{ label: 'L', tag: { key: { name: 'red' } } }],
        },
      ),
      { op: 'upsert', type: 'homepage', data: { title: 'Home' } },
    ]
    const first = await run(lines)
    expect(results(first)).to.deep.equal(
      ['1 201 created', '2 201 created', '3 201 created', '4 200 updated'].map((text) =>
        text.replace('4 200 updated', '4 201 created'),
      ),
    )
    const path =
      '/api/articles?filters[slug]=first&populate[0]=author&populate[1]=tags&populate[2]=links.tag'
    const article = await one(path)
    expect(article).to.deep.include({ documentId: first[2].documentId, title: 'First' })
    expect(article.author.email).to.equal('ada@example.org')
    expect(article.tags.map(({ name }: Json) => name)).to.deep.equal(['red'])
    expect(article.links[0].tag.colour).to.equal('red')
    const writes: string[] = []
    server.onCommand(({ name, command }) => {
      const isWrite = WRITE_COMMANDS.has(name)
      // Commits are numbered and query costs are recorded shortly after a write.
      if (isWrite && !String(command[name]).startsWith('quire_')) writes.push(name)
    })
    const second = await run(lines)
    expect(results(second)).to.deep.equal([1, 2, 3, 4].map((line) => `${line} 200 unchanged`))
    expect(second.map(({ documentId }) => documentId)).to.deep.equal(
      first.map(({ documentId }) => documentId),
    )
    expect(writes).to.deep.equal([])
    expect(await one(path)).to.deep.equal(article)
  })

  it('stores the same data as single requests', async () => {
    const data = { title: 'Same', price: '2.5', links: [{ label: 'a' }, { label: 'b' }] }
    const single = await server.post('/api/articles', { ...data, slug: 'single' })
    expect(single.status, single.text).to.equal(201)
    await run([upsert('article', { slug: 'bulked' }, data)])
    for (const status of ['draft', 'published']) {
      const get = (slug: string): Promise<Json> =>
        one(`/api/articles?filters[slug]=${slug}&populate=*&status=${status}`)
      const bare = (entry: Json): Json => {
        const { publishedAt, links, ...rest } = entry
        for (const own of ['id', 'documentId', 'slug', 'createdAt', 'updatedAt']) delete rest[own]
        const labels = links.map(({ label }: Json) => label)
        return { ...rest, isPublished: publishedAt !== null, labels }
      }
      expect(bare(await get('bulked'))).to.deep.equal(bare(await get('single')))
    }
  })

  it('changes the given attributes, publishes entries and keeps drafts as drafts', async () => {
    const key = { slug: 'changing' }
    await run([upsert('article', key, { title: 'A', extra: { x: 1 } }, { status: 'draft' })])
    expect((await server.get('/api/articles?filters[slug]=changing')).body.data).to.deep.equal([])
    const answers = await run([
      upsert('article', key, { title: 'B' }, { status: 'draft' }),
      upsert('article', key, { title: 'B' }),
      upsert('article', key, { title: 'B' }),
      upsert('article', key, { title: 'C' }, { status: 'draft' }),
    ])
    expect(results(answers)).to.deep.equal([
      '1 200 updated',
      '2 200 updated',
      '3 200 unchanged',
      '4 200 updated',
    ])
    expect(await one('/api/articles?filters[slug]=changing')).to.include({ title: 'B' })
    const draft = await one('/api/articles?filters[slug]=changing&status=draft')
    expect(draft).to.deep.include({ title: 'C', extra: { x: 1 } })
  })

  it('writes locales of one document by its documentId', async () => {
    const documentId = 'p'.padEnd(24, '1')
    const line = (locale: string, slug: string): object => ({
      op: 'upsert',
      type: 'page',
      documentId,
      locale,
      data: { slug, title: `in ${locale}` },
    })
    const lines = [line('en', 'hello'), line('fr', 'bonjour')]
    expect(results(await run(lines))).to.deep.equal(['1 201 created', '2 200 updated'])
    expect(results(await run(lines))).to.deep.equal(['1 200 unchanged', '2 200 unchanged'])
    const french = await server.get(`/api/pages/${documentId}?locale=fr`)
    expect(french.body.data).to.include({ slug: 'bonjour', title: 'in fr' })
    const gone = await run([{ op: 'delete', type: 'page', documentId, locale: 'fr' }])
    expect(results(gone)).to.deep.equal(['1 200 deleted'])
    expect((await server.get(`/api/pages/${documentId}?locale=fr`)).status).to.equal(404)
    expect((await server.get(`/api/pages/${documentId}`)).status).to.equal(200)
  })

  it('executes lines in order, across types and operations', async () => {
    const answers = await run([
      upsert('tag', { name: 'blue' }, { colour: '1' }),
      upsert('tag', { name: 'blue' }, { colour: '2' }),
      { op: 'delete', type: 'tag', key: { name: 'blue' } },
      upsert('article', { slug: 'blue' }, { title: 'T', tags: [{ key: { name: 'blue' } }] }),
      upsert('tag', { name: 'blue' }, { colour: '3' }),
      upsert('article', { slug: 'blue' }, { title: 'T', tags: [{ key: { name: 'blue' } }] }),
      { op: 'delete', type: 'tag', key: { name: 'nothing' } },
      upsert(
        'person',
        { email: 'b@example.org' },
        { name: 'B', articles: [{ key: { slug: 'blue' } }] },
      ),
    ])
    expect(results(answers)).to.deep.equal([
      '1 201 created',
      '2 200 updated',
      '3 200 deleted',
      '4 400 unknown_relation_target',
      '5 201 created',
      '6 201 created',
      '7 200 unchanged',
      '8 201 created',
    ])
    const article = await one(
      '/api/articles?filters[slug]=blue&populate[0]=author&populate[1]=tags',
    )
    expect(article.author.name).to.equal('B')
    expect(article.tags[0].colour).to.equal('3')
  })

  it('reports the faults of each line and executes the other lines', async () => {
    await run([upsert('tag', { name: 'taken' }, { private_name: 'secret' })])
    const answers = await run([
      '{ "op": ',
      '[]',
      { op: 'upsert', type: 'nothing', key: { a: 1 }, data: {} },
      { op: 'replace', type: 'tag', documentId: 'a'.repeat(24), data: {} },
      { op: 'upsert', type: 'tag', data: {} },
      { op: 'upsert', type: 'tag', documentId: 'no', data: {} },
      upsert('tag', { colour: 'red' }, {}),
      upsert('tag', { private_name: 'secret' }, {}),
      upsert('tag', { name: '' }, {}),
      upsert('tag', { name: 'x' }, { name: 'y' }),
      upsert('tag', { name: 'x' }, { nothing: 1 }),
      upsert('tag', { name: 'x' }, {}, { locale: 'fr', status: 'odd', more: 1 }),
      upsert('person', { email: 'none@example.org' }, {}),
      upsert(
        'article',
        { slug: 's' },
        { title: 't', author: { key: { email: 'nobody@example.org' } } },
      ),
      upsert(
        'article',
        { slug: 's' },
        { title: 't', author: { key: { email: 'a@b.org' }, id: 1 } },
      ),
      { op: 'upsert', type: 'tag', documentId: 'a'.repeat(24), data: { name: 'taken' } },
      upsert('page', { slug: 's' }, {}, { locale: 'xx' }),
      { op: 'delete', type: 'tag', documentId: 'a'.repeat(24), data: {} },
      upsert('tag', { name: 'x'.repeat(20_001) }, {}),
      upsert('tag', { name: 'good' }, {}),
    ])
    expect(answers.map(({ line, status }) => [line, status])).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => [
        index + 1,
        index === 18 ? 413 : index === 19 ? 201 : 400,
      ]),
    )
    expect(answers[12].error).to.deep.include({ name: 'ValidationError' })
    expect(answers[12].error.details.errors[0].path).to.deep.equal(['name'])
    expect(answers[15].code).to.equal('value_not_unique')
    expect(answers[16].code).to.equal('unknown_locale')
    expect(answers[7].error.message).to.not.include('secret')
  })

  it('refuses a duplicate unique value in the second line only', async () => {
    const line = (first: string): object => ({
      op: 'upsert',
      type: 'tag',
      documentId: first.padEnd(24, '0'),
      data: { name: 'twice' },
    })
    const others = Array.from({ length: 5 }, (_, n) => upsert('tag', { name: `other${n}` }, {}))
    const answers = await run([line('a'), ...others, line('b')])
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201, 201, 400])
    expect(answers[6].code).to.equal('value_not_unique')
  })

  it('requires the permissions of a single request for each line', async () => {
    await run([upsert('tag', { name: 'mine' }, {})])
    const permissions = [
      'api::tag.tag.create',
      'api::article.article.create',
      'api::article.article.delete',
    ]
    await server.send('PUT', '/admin/roles/public', { body: { permissions } })
    const answers = await run(
      [
        upsert('tag', { name: 'new' }, {}),
        upsert('tag', { name: 'mine' }, { colour: 'x' }),
        { op: 'delete', type: 'tag', key: { name: 'mine' } },
        upsert('person', { email: 'p@example.org' }, { name: 'P' }),
        upsert('article', { slug: 'public' }, { title: 't', tags: [{ key: { name: 'mine' } }] }),
        { op: 'delete', type: 'article', key: { slug: 'nothing' } },
      ],
      { token: null },
    )
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 403, 403, 403, 400, 200])
    expect((await one('/api/tags?filters[name]=mine')).colour).to.equal(null)
    await server.send('PUT', '/admin/roles/public', {
      body: { permissions: ['api::tag.tag.find'] },
    })
    expect((await bulk([upsert('tag', { name: 'new' }, {})], { token: null })).status).to.equal(403)
    await server.send('PUT', '/admin/roles/public', { body: { permissions: [] } })
  })

  it('writes all lines or none with ?atomic=true', async () => {
    const good = [
      upsert('tag', { name: 'atom' }, { colour: '1' }),
      upsert('article', { slug: 'atom' }, { title: 'A', tags: [{ key: { name: 'atom' } }] }),
      upsert('tag', { name: 'atom' }, { colour: '2' }),
    ]
    const bad = await bulk([...good, upsert('person', { email: 'x@example.org' }, {})], {
      query: '?atomic=true',
    })
    expect(bad.status, bad.text).to.equal(400)
    expect(bad.body.error.details).to.include({ line: 4 })
    expect((await server.get('/api/tags?filters[name]=atom')).body.data).to.deep.equal([])
    expect((await server.get('/api/articles?filters[slug]=atom')).body.data).to.deep.equal([])
    const answers = await run(good, { query: '?atomic=true' })
    expect(results(answers)).to.deep.equal(['1 201 created', '2 201 created', '3 200 updated'])
    const many = Array.from({ length: 501 }, () => good[0] ?? {})
    expect((await bulk(many, { query: '?atomic=true' })).status).to.equal(413)
  })

  it('creates one document when several requests send the same key at once', async () => {
    const line = upsert('article', { slug: 'raced' }, { title: 'R' }, { status: 'draft' })
    const all = await Promise.all(Array.from({ length: 4 }, () => run([line])))
    expect(new Set(all.map(([answer]) => answer.documentId))).to.have.property('size', 1)
    expect(all.filter(([{ status }]) => status === 201)).to.have.length(1)
    await one('/api/articles?filters[slug]=raced&status=draft')
  })

  it('responds with 400 to an unknown content type, encoding or parameter', async () => {
    const send = (headers: Record<string, string>, query = ''): Promise<Answer> =>
      server.send('POST', `/api/_bulk${query}`, { headers, body: '{}\n' })
    expect((await send({ 'Content-Type': 'application/json' })).status).to.equal(400)
    expect((await send({ ...NDJSON, 'Content-Encoding': 'gzip' })).status).to.equal(400)
    expect((await send(NDJSON, '?atomic=yes')).status).to.equal(400)
    expect((await send(NDJSON, '?prune=true')).status).to.equal(400)
    expect((await server.get('/api/_bulk')).status).to.equal(405)
  })

  it('stops with a 413 after 10,000 lines', async () => {
    const answers = await run(Array.from({ length: 10_001 }, () => '{}'))
    expect(answers.at(-1)).to.deep.include({ line: null, status: 413 })
    expect(answers.length).to.be.below(10_002)
  })

  /** A request with a streamed body. */
  const begin = (query = '') => {
    const { port } = server
    const headers = { ...NDJSON, Authorization: `Bearer ${ROOT_TOKEN}` }
    const sent = request({
      port,
      host: '127.0.0.1',
      path: `/api/_bulk${query}`,
      method: 'POST',
      headers,
    })
    sent.on('error', () => undefined)
    return sent
  }
  const write = (line: object): string => `${JSON.stringify(line)}\n`

  it('responds to a line before the next one arrives', async () => {
    const sent = begin()
    sent.write(write(upsert('tag', { name: 'slow 1' }, {})))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const lines = createInterface({ input: answer })[Symbol.asyncIterator]()
    expect(JSON.parse(String((await lines.next()).value))).to.include({ line: 1, status: 201 })
    sent.end(write(upsert('tag', { name: 'slow 2' }, {})))
    expect(JSON.parse(String((await lines.next()).value))).to.include({ line: 2, status: 201 })
    expect((await lines.next()).done).to.equal(true)
  })

  it('runs four requests at a time, and frees the slot of a disconnected client', async () => {
    for (let round = 0; round < 3; round += 1) {
      const open = Array.from({ length: 4 }, () => begin())
      for (const [index, sent] of open.entries()) {
        sent.write(write(upsert('tag', { name: `hang ${index}` }, {})))
        await once(sent, 'response')
      }
      const refused = await bulk([upsert('tag', { name: 'refused' }, {})])
      expect(refused.status).to.equal(503)
      expect(refused.headers['retry-after']).to.equal('1')
      for (const sent of open) sent.destroy()
      let answer = await bulk([upsert('tag', { name: 'again' }, {})])
      while (answer.status === 503) answer = await bulk([upsert('tag', { name: 'again' }, {})])
      expect(answer.status).to.equal(200)
    }
  })

  it('gives the slot of an idle client to a new one', async () => {
    const open = Array.from({ length: 4 }, (_, index) => begin(index === 0 ? '?atomic=true' : ''))
    const cut = open.map((sent) => new Promise((resolve) => sent.once('close', resolve)))
    for (const [index, sent] of open.entries()) {
      sent.write(write(upsert('tag', { name: `silent ${index}` }, {})))
      sent.write('{') // the rest of the line never comes
    }
    const coming = async (): Promise<boolean> =>
      (await bulk([upsert('tag', { name: 'comes' }, {})])).status === 200
    await until(coming, 30_000)
    await Promise.race(cut)
    for (const sent of open) sent.destroy()
  })

  it('executes no more lines after a disconnect', async () => {
    const last = 1_000
    const open = Array.from({ length: 4 }, (_, index) => {
      const sent = begin()
      const titles = Array.from({ length: last }, (__, nth) => `title ${nth + 1}`)
      sent.end(
        titles
          .map((title) => write(upsert('article', { slug: `gone-${index}` }, { title })))
          .join(''),
      )
      return sent
    })
    const titleOf = async (index: number): Promise<string | undefined> => {
      const { body } = await server.get(`/api/articles?filters[slug]=gone-${index}`)
      return body.data[0]?.title
    }
    for (const [index, sent] of open.entries()) {
      await until(async () => ((await titleOf(index)) ?? 'title 1') !== 'title 1', 30_000)
      sent.destroy()
    }
    await until(
      async () => (await bulk([upsert('tag', { name: 'room' }, {})])).status === 200,
      60_000,
    )
    for (const index of open.keys()) expect(await titleOf(index)).not.to.equal(`title ${last}`)
  })
})
