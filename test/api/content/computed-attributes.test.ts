import { expect } from 'chai'
import { writeTypeScript } from '../../../src/describe/client-code/write-typescript.ts'
import { defineExtension, type Extension } from '../../../src/extensions/extension.ts'
import { loadProject } from '../../../src/server/services/load-schema.ts'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const ARTICLE = 'api::article.article'

const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string' },
      body: { type: 'richtext' },
      at: { type: 'datetime' },
      cost: { type: 'integer', private: true },
      links: { type: 'component', component: 'shared.link', repeatable: true },
      authors: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::author.author',
        inversedBy: 'articles',
      },
    },
    { draftAndPublish: true },
  ),
  author: declare('author', {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'manyToMany', target: ARTICLE, mappedBy: 'authors' },
  }),
  'components/shared/link': {
    attributes: { url: { type: 'string' }, note: { type: 'string', private: true } },
  },
}

const inputs: Json[] = []

function computing(version: number): Extension {
  return defineExtension({
    name: 'computing',
    contentTypes: {
      [ARTICLE]: {
        computed: {
          length: {
            type: 'integer',
            version,
            from: ['body', 'at'],
            description: 'Characters of the body.',
            value: (from) => {
              inputs.push(from)
              const { body } = from
              return typeof body === 'string' ? body.length * version : 0
            },
          },
          urls: {
            type: 'json',
            version: 1,
            from: ['links'],
            value: ({ links }) => links,
          },
          shout: {
            type: 'string',
            version: 1,
            from: ['title'],
            value: ({ title }) => `${String(title)}!`,
          },
          margin: {
            type: 'integer',
            version: 1,
            from: ['cost'],
            value: ({ cost }) => Number(cost) + 1,
          },
          broken: {
            type: 'integer',
            version: 1,
            from: ['title'],
            value: ({ title }) => {
              if (title === 'throws') throw new Error('boom')
              return title === 'wrong' ? 'text' : null
            },
          },
        },
      },
    },
  })
}

const ENVIRONMENT = { RATE_LIMIT: 'off' }

describe('computed attributes', () => {
  let server: TestServer
  let editor: AdminClient
  let article: string
  let author: string

  before(async () => {
    server = await serve('computed', {
      contentTypes: CONTENT_TYPES,
      environment: ENVIRONMENT,
      extensions: [computing(1)],
    })
    await addAdministrator(server, 'Editor', ['editor'])
    editor = await signIn(server, 'editor@example.org')
    const body = { name: 'Ada' }
    author = (await server.post('/api/authors', body)).body.data.documentId
    const made = await server.post('/api/articles', {
      title: 'one',
      body: 'four',
      at: '2026-01-02T03:04:05Z',
      links: [{ url: 'u', note: 'secret' }],
      authors: [author],
    })
    expect(made.status, made.text).to.equal(201)
    expect(made.body.data.length).to.equal(4)
    article = made.body.data.documentId
  })
  after(() => server.close())

  const one = async (query = ''): Promise<Json> =>
    (await server.get(`/api/articles/${article}${query}`)).body.data

  it('are members of entries and lists, after the stored ones', async () => {
    expect(await one()).to.include({ length: 4, broken: null })
    expect(Object.keys(await one()).slice(-4)).to.deep.equal(['length', 'urls', 'shout', 'broken'])
    const { body } = await server.get('/api/articles')
    expect(body.data[0]).to.deep.equal(await one())
    const cached = await server.get('/api/articles')
    expect(cached.body.data[0].length).to.equal(4)
  })

  it('get their sources in the form of the API', async () => {
    inputs.length = 0
    await one()
    expect(inputs).to.deep.equal([{ body: 'four', at: '2026-01-02T03:04:05.000Z' }])
  })

  it('get components without private attributes and relations', async () => {
    const [link] = (await one('?populate=links')).links
    expect((await one()).urls).to.deep.equal([{ id: link.id, url: 'u' }])
  })

  it('can be selected alone, without their sources', async () => {
    const shown = await one('?fields=length')
    expect(Object.keys(shown)).to.deep.equal(['id', 'documentId', 'length'])
    expect(shown.length).to.equal(4)
    const { body } = await server.get('/api/articles?fields[0]=title&fields[1]=length')
    expect(Object.keys(body.data[0])).to.deep.equal(['id', 'documentId', 'title', 'length'])
    expect(await one('?fields=title')).not.to.have.property('length')
  })

  it('are shown in populated relations of both sides', async () => {
    const { body } = await server.get('/api/authors?populate=articles')
    expect(body.data[0].articles[0]).to.include({ title: 'one', length: 4 })
    const some = await server.get('/api/authors?populate[articles][fields]=length')
    expect(some.body.data[0].articles[0]).to.deep.include({ length: 4 })
    expect(some.body.data[0].articles[0]).not.to.have.property('body')
  })

  it('are shown in the older format', async () => {
    const headers = { 'strapi-response-format': 'v4' }
    const { body } = await server.get('/api/articles', { headers })
    expect(body.data[0].attributes).to.include({ title: 'one', length: 4 })
  })

  it('are private if one of their sources is, and shown to editors', async () => {
    expect(await one()).not.to.have.property('margin')
    expect((await server.get(`/api/articles/${article}?fields=margin`)).status).to.equal(400)
    const content = `/admin/content/${ARTICLE}/${article}`
    await editor.send('PUT', content, { data: { cost: 5 } })
    const { body } = await editor.send('GET', content)
    expect(body.data).to.include({ cost: 5, margin: 6, length: 4 })
  })

  for (const query of [
    'filters[length]=4',
    'filters[length][$gt]=1',
    'filters[$or][0][length]=4',
    'sort=length',
    'sort=length:desc',
  ]) {
    it(`responds with 400 to ${query}`, async () => {
      const answer = await server.get(`/api/articles?${query}`)
      expect([answer.status, answer.headers['error-code']]).to.deep.equal([400, 'invalid_key'])
      expect(answer.body.error.message).to.match(
        /^Invalid key length: computed attributes cannot be (filtered|sorted)$/,
      )
    })
  }

  it('respond with 400 behind a relation, and are not suggested', async () => {
    const filtered = await server.get('/api/authors?filters[articles][length]=4')
    expect(filtered.body.error.message).to.equal(
      'Invalid key length at articles.length: computed attributes cannot be filtered',
    )
    const typo = await server.get('/api/articles?filters[lengt]=4')
    expect(typo.body.error.message).to.equal('Invalid key lengt')
  })

  it('are not searched', async () => {
    expect(await one()).to.include({ shout: 'one!' })
    const { body } = await server.get('/api/articles?_q=one!')
    expect(body.data).to.deep.equal([])
  })

  it('are refused in payloads', async () => {
    const answer = await server.put(`/api/articles/${article}`, { length: 9 })
    expect([answer.status, answer.headers['error-code']]).to.deep.equal([400, 'invalid_key'])
  })

  it('become null with one log line a minute if they throw or have a wrong type', async () => {
    server.takeLog()
    for (const title of ['throws', 'wrong']) {
      const { body } = await server.post('/api/articles', { title })
      expect(body.data.broken).to.equal(null)
    }
    const log = server.takeLog()
    expect(log).to.have.length(1)
    expect(log[0]).to.include({
      extension: 'computing',
      msg: `Extension computing: computed broken of ${ARTICLE} failed`,
    })
  })

  it('are described for readers, without filters', async () => {
    const { body } = await server.get('/api/openapi.json')
    const schema = body.components.schemas.Article.properties.length
    expect(schema).to.deep.include({ readOnly: true, type: ['integer', 'null'] })
    expect(schema.description).to.equal(
      'Characters of the body. Computed; filters and sort cannot use it.',
    )
    const { parameters } = body.paths['/api/articles'].get
    const names = parameters.map(({ name }: Json) => name)
    expect(names.filter((name: string) => name.includes('length'))).to.deep.equal([])
    const sort = parameters.find(({ name }: Json) => name === 'sort')
    expect(sort.schema.items.enum).not.to.include('length')
    const fields = parameters.find(({ name }: Json) => name === 'fields')
    expect(fields.schema.items.enum).to.include('length')
    expect(JSON.stringify(body.paths['/api/articles'].post.requestBody)).not.to.include('length')
  })

  it('are described for the Studio as read-only', async () => {
    const { body } = await editor.send('GET', `/admin/content-types/${ARTICLE}`)
    expect(body.data.attributes.length).to.deep.equal({
      type: 'integer',
      required: false,
      private: false,
      localized: true,
      writable: false,
      computed: true,
      description: 'Characters of the body.',
    })
  })

  it('are fields of the TypeScript client, without filters and input', async () => {
    const { schema } = await loadProject(server.contentTypesDir, [computing(1)])
    const locales = { defaultCode: 'en', all: [{ code: 'en', name: 'English' }] }
    const code = writeTypeScript({ schema, locales, grants: { has: () => true } } as never)
    const shape = /interface Article [^]*?\n}\n/.exec(code)?.[0] ?? ''
    expect(shape).to.include('length: number | null')
    const text = code.slice(code.indexOf('interface Article '))
    expect(text.split('length: ').length - 1, text).to.equal(1)
  })

  it('are part of sync, and a new version resets the type', async () => {
    await server.settled()
    const query = '/api/_sync?types=article'
    const first = await server.get(query)
    const put = first.body.items.find(({ data }: Json) => data?.title === 'one')
    expect(put.data).to.include({ length: 4 })
    expect(put.data).not.to.have.property('margin')
    const again = async (extension: Extension): Promise<readonly Json[]> => {
      const next = await serve('computed', {
        contentTypes: server.contentTypesDir,
        environment: { ...ENVIRONMENT, MONGODB_DATABASE: server.database },
        extensions: [extension],
      })
      const answer = await next.get(`/api/_sync?token=${first.body.next}`)
      await next.close()
      return answer.body.items
    }
    const same = await again(computing(1))
    expect(same.filter(({ op }) => op === 'reset')).to.deep.equal([])
    const changed = await again(computing(2))
    expect(changed.filter(({ op }) => op === 'reset')).to.deep.equal([
      { op: 'reset', type: 'article', reason: 'schema' },
    ])
    const fresh = changed.find(({ data }) => data?.title === 'one')
    expect(fresh.data.length).to.equal(8)
  })
})
