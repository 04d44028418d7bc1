import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const ATTRIBUTES = {
  title: { type: 'string' },
  slug: { type: 'uid', targetField: 'title', required: true },
  alias: { type: 'uid', targetField: 'title' },
}
const CONTENT_TYPES = {
  page: declare('page', ATTRIBUTES),
  article: declare('article', ATTRIBUTES, { draftAndPublish: true }),
}

describe('required uids of new entries', () => {
  let server: TestServer
  before(async () => {
    server = await serve('made_uids', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
  })
  after(() => server.close())

  const create = async (path: string, data: object): Promise<Json> => {
    const { status, body, text } = await server.send('POST', path, { body: { data } })
    expect(status, text).to.equal(201)
    return body.data
  }

  const bulk = async (lines: readonly object[], query = ''): Promise<readonly Json[]> => {
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    const headers = { 'Content-Type': 'application/x-ndjson' }
    const { status, text } = await server.send('POST', `/api/_bulk${query}`, { headers, body })
    expect(status, text).to.equal(200)
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  const slugsOf = async (path: string, title: string): Promise<readonly string[]> => {
    const { body } = await server.get(`${path}filters[title]=${encodeURIComponent(title)}`)
    return body.data.map(({ slug }: Json) => slug).sort()
  }

  const upsert = (type: string, documentId: string, title: string): object => ({
    op: 'upsert',
    type,
    documentId,
    data: { title },
  })

  for (const path of ['/api/pages', '/api/articles', '/api/articles?status=draft']) {
    it(`derives a uid from its source by POST ${path}`, async () => {
      const title = `Größe ${path}`
      const first = await create(path, { title })
      expect(first.alias).to.equal(null)
      expect(first.slug).to.match(/^grosse-api-/)
      expect((await create(path, { title })).slug).to.equal(`${first.slug}-1`)
      expect((await create(path, { title })).slug).to.equal(`${first.slug}-2`)
    })
  }

  it('keeps a given uid', async () => {
    expect((await create('/api/pages', { title: 'Given', slug: 'mine' })).slug).to.equal('mine')
    const taken = await server.send('POST', '/api/pages', {
      body: { data: { title: 'Given', slug: 'mine' } },
    })
    expect(taken.status).to.equal(400)
  })

  it('uses the name of the type if the source has no valid characters', async () => {
    expect((await create('/api/pages', { title: '日本' })).slug).to.equal('page')
  })

  it('requires a uid without a source', async () => {
    const { status, body } = await server.send('POST', '/api/pages', { body: { data: {} } })
    expect(status).to.equal(400)
    expect(body.error.details.errors[0].path).to.deep.equal(['slug'])
  })

  it('refuses an explicit null', async () => {
    const body = { data: { title: 'Null', slug: null } }
    expect((await server.send('POST', '/api/pages', { body })).status).to.equal(400)
  })

  it('creates uids for the lines of one batch', async () => {
    const lines = ['a', 'b'].map((one) => upsert('page', `batch${one}`.padEnd(24, one), 'Batch'))
    const answers = await bulk(lines)
    expect(answers.map(({ result }) => result)).to.deep.equal(['created', 'created'])
    expect(await slugsOf('/api/pages?', 'Batch')).to.deep.equal(['batch', 'batch-1'])
  })

  for (const type of ['page', 'article']) {
    it(`creates uids for the lines of one transaction: ${type}`, async () => {
      const lines = ['c', 'd'].map((one) => upsert(type, `whole${one}`.padEnd(24, one), 'Whole'))
      await bulk(lines, '?atomic=true')
      expect(await slugsOf(`/api/${type}s?`, 'Whole')).to.deep.equal(['whole', 'whole-1'])
    })
  }

  for (const path of ['/api/pages', '/admin/content/api::article.article']) {
    it(`creates different uids in 20 concurrent creations by POST ${path}`, async () => {
      const made = await Promise.all(
        Array.from({ length: 20 }, () => create(path, { title: `Race of ${path}` })),
      )
      expect(new Set(made.map(({ slug }) => slug)).size).to.equal(20)
    })
  }

  for (const path of [
    '/api/pages',
    '/api/articles',
    '/api/articles?status=draft',
    '/admin/content/api::page.page',
    '/admin/content/api::article.article',
  ]) {
    it(`creates different uids in 20 concurrent creations by POST ${path} on two servers`, async () => {
      const second = await serve('made_uids', {
        contentTypes: CONTENT_TYPES,
        environment: { RATE_LIMIT: 'off', MONGODB_DATABASE: server.database },
      })
      try {
        const title = `Both of ${path}`
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? server : second).post(path, { title }),
          ),
        )
        for (const { status, text } of answers) expect(status, text).to.equal(201)
        const slugs = new Set(answers.map(({ body }) => body.data.slug))
        const [first = ''] = [...slugs].toSorted((one, other) => one.length - other.length)
        const numbered = Array.from({ length: 19 }, (_, index) => `${first}-${index + 1}`)
        expect(slugs).to.deep.equal(new Set([first, ...numbered]))
      } finally {
        await second.close()
      }
    })
  }

  it('creates different uids for concurrent batches on two servers', async () => {
    const second = await serve('made_uids', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off', MONGODB_DATABASE: server.database },
    })
    try {
      const answers = await Promise.all(
        [server, second].map((to, at) => {
          const lines = ['e', 'f', 'g', 'h', 'i'].map((one) =>
            JSON.stringify(upsert('page', `both${at}${one}`.padEnd(24, one), 'Twice')),
          )
          const headers = { 'Content-Type': 'application/x-ndjson' }
          return to.send('POST', '/api/_bulk', { headers, body: `${lines.join('\n')}\n` })
        }),
      )
      for (const { text } of answers) expect(text).to.not.include('error')
      expect(new Set(await slugsOf('/api/pages?', 'Twice')).size).to.equal(10)
    } finally {
      await second.close()
    }
  })

  it('describes a uid as optional in a creation', async () => {
    const { body } = await server.get('/api/openapi.json')
    const text = JSON.stringify(body.paths['/api/pages']?.post ?? body.paths['/pages']?.post)
    expect(text).to.not.equal(undefined)
    const required = Object.entries(body.components.schemas as Record<string, Json>)
      .filter(([name]) => name.includes('Create'))
      .flatMap(([, schema]) => schema.required ?? [])
    expect(required).to.not.include('slug')
  })
})
