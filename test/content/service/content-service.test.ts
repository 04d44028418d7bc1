import { expect } from 'chai'
import { CmsError } from '../../../src/base/errors.ts'
import type {
  ContentService,
  DocumentService,
  ExtensionPrincipal,
  SingleService,
} from '../../../src/extensions/content-service.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const SYSTEM = { as: 'system' } as const
const ANONYMOUS = principal('anonymous')

function principal(
  kind: ExtensionPrincipal['kind'],
  id: string | number | null = null,
): { readonly as: ExtensionPrincipal } {
  return { as: { kind, id, name: null } }
}

async function refusal(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
  } catch (error) {
    if (error instanceof CmsError) return `${error.status} ${error.name}: ${error.message}`
    return error instanceof Error ? `${error.name}: ${error.message}` : 'thrown'
  }
  return 'no error'
}

describe('the content service of extensions', () => {
  let server: TestServer
  let content: ContentService
  let articles: DocumentService
  let home: SingleService

  before(async () => {
    server = await serve('content_service', {
      contentTypes: {
        article: declare(
          'article',
          {
            title: { type: 'string', required: true },
            views: { type: 'integer', min: 0 },
            secret: { type: 'string', private: true },
            category: { type: 'relation', relation: 'manyToOne', target: 'api::category.category' },
          },
          { draftAndPublish: true, localized: true },
        ),
        category: declare('category', { name: { type: 'string' } }),
        home: declare('home', { title: { type: 'string' } }, { kind: 'singleType' }),
      },
      locales: ['de'],
      permitted: ['api::article.article.find', 'api::article.article.findOne'],
      extensions: [
        {
          name: 'probe',
          start: (event) => {
            content = event.content
          },
        },
      ],
    })
    const { articles: documents } = content
    if (documents === undefined) throw new Error('no service')
    articles = documents
    home = content['home'] as unknown as SingleService // untyped projects have one type of service
  })
  after(() => server.close())

  it('returns the same entries as the HTTP API', async () => {
    const category = await content['categorys']?.create({ name: 'News' }, SYSTEM)
    const created = await articles.create(
      { title: 'One', views: 3, category: category?.['documentId'] },
      SYSTEM,
    )
    const query = '?populate=category&filters[views][$gte]=3&sort=title&pagination[pageSize]=5'
    const answer = await server.get(`/api/articles${query}`)
    const page = await articles.find(
      {
        populate: { category: true },
        filters: { views: { $gte: 3 } },
        sort: 'title',
        pagination: { pageSize: 5 },
      },
      SYSTEM,
    )
    expect(JSON.parse(JSON.stringify(page))).to.deep.equal(answer.body)
    expect(page.data).to.have.length(1)
    const one = await articles.findOne(String(created['documentId']), {}, SYSTEM)
    const shown = await server.get(`/api/articles/${String(created['documentId'])}`)
    expect(one).to.deep.equal(shown.body.data)
    expect(one).to.deep.equal(created)
  })

  it('converts numbers, booleans, dates and null of queries', async () => {
    await articles.create({ title: 'Without views' }, SYSTEM)
    const titles = async (filters: object): Promise<readonly unknown[]> => {
      const { data } = await articles.find({ filters, sort: ['title:asc'] }, SYSTEM)
      return data.map(({ title }) => title)
    }
    expect(await titles({ views: null })).to.deep.equal(['Without views'])
    expect(await titles({ views: { $eq: null } })).to.deep.equal(['Without views'])
    expect(await titles({ views: { $ne: null } })).to.deep.equal(['One'])
    expect(await titles({ views: { $null: true }, title: undefined })).to.deep.equal([
      'Without views',
    ])
    expect(await titles({ createdAt: { $gt: new Date() } })).to.deep.equal([])
    expect(await titles({ views: { $in: [3, 4] } })).to.deep.equal(['One'])
  })

  it('counts entries', async () => {
    expect(await articles.count({ filters: { views: { $gt: 2 } } }, SYSTEM)).to.equal(1)
    expect(await articles.count({}, SYSTEM)).to.equal(2)
    expect(await articles.count({ status: 'draft' }, SYSTEM)).to.equal(2)
  })

  it('updates, publishes, unpublishes and deletes versions', async () => {
    const draft = await articles.create({ title: 'Draft' }, { ...SYSTEM, status: 'draft' })
    const id = String(draft['documentId'])
    expect(await articles.findOne(id, {}, SYSTEM)).to.equal(null)
    const changed = await articles.update(id, { title: 'Draft 2' }, { ...SYSTEM, status: 'draft' })
    expect(changed).to.include({ title: 'Draft 2', publishedAt: null })
    const published = await articles.publish(id, SYSTEM)
    expect(published['publishedAt']).to.be.a('string')
    await articles.update(id, { title: 'Deutsch' }, { ...SYSTEM, locale: 'de' })
    expect(await articles.findOne(id, { locale: 'de' }, SYSTEM)).to.include({ title: 'Deutsch' })
    await articles.unpublish(id, { ...SYSTEM, locale: '*' })
    expect(await articles.findOne(id, { locale: 'de' }, SYSTEM)).to.equal(null)
    await articles.delete(id, { ...SYSTEM, locale: '*' })
    expect(await articles.findOne(id, { status: 'draft' }, SYSTEM)).to.equal(null)
  })

  it('serves single types without a documentId', async () => {
    expect(await home.find({}, SYSTEM)).to.equal(null)
    await home.update({ title: 'Home' }, SYSTEM)
    expect(await home.find({ fields: ['title'] }, SYSTEM)).to.include({ title: 'Home' })
    await home.delete(SYSTEM)
    expect(await home.find({}, SYSTEM)).to.equal(null)
  })

  it('validates data and queries like the HTTP API', async () => {
    const refused: readonly [() => Promise<unknown>, string][] = [
      [() => articles.create({}, SYSTEM), '400 ValidationError: title must be'],
      [() => articles.create({ title: 'x', views: -1 }, SYSTEM), '400 ValidationError'],
      [() => articles.create({ title: 'x', tilte: 1 }, SYSTEM), '400 ValidationError'],
      [() => articles.find({ filters: { views: { $near: 1 } } }, SYSTEM), '400 ValidationError'],
      [() => articles.find({ pagination: { pageSize: 0 } }, SYSTEM), '400'],
      [() => articles.find({ filters: { secret: 'x' } }, SYSTEM), '400 ValidationError'],
      [() => articles.create({ title: 'x' }, { ...SYSTEM, locale: 'xx' }), '400 ValidationError'],
      [() => articles.update('x'.repeat(24), { title: 'x' }, SYSTEM), '404 NotFoundError'],
      [() => articles.publish('x'.repeat(24), SYSTEM), '404 NotFoundError'],
    ]
    for (const [work, message] of refused) expect(await refusal(work)).to.include(message)
  })

  it('applies the current permissions of the principal', async () => {
    expect((await articles.find({}, ANONYMOUS)).data).to.have.length(2)
    const forbidden: readonly (() => Promise<unknown>)[] = [
      () => articles.find({ status: 'draft' }, ANONYMOUS),
      () => articles.create({ title: 'x' }, ANONYMOUS),
      () => articles.update('x', { title: 'x' }, ANONYMOUS),
      () => articles.delete('x', ANONYMOUS),
      () => articles.publish('x', ANONYMOUS),
      () => articles.unpublish('x', ANONYMOUS),
      () => home.find({}, ANONYMOUS),
      () => articles.find({}, principal('user', 'gone')),
      () => articles.find({}, principal('administrator', 'gone')),
      () => articles.find({}, principal('apiToken', 12345)),
      () => articles.find({}, principal('preview')),
    ]
    for (const work of forbidden)
      expect(await refusal(work)).to.equal('403 ForbiddenError: Forbidden')
    const populated = await server.get('/api/articles?populate=category', { token: null })
    expect(populated.status).to.equal(200)
    const page = await articles.find({ populate: ['category'] }, ANONYMOUS)
    expect(JSON.parse(JSON.stringify(page))).to.deep.equal(populated.body)
    const token = await server.send('POST', '/admin/api-tokens', {
      body: { name: 'reader', type: 'custom', permissions: ['api::category.category.find'] },
    })
    const reader = principal('apiToken', Number(token.body.data.id))
    expect((await content['categorys']?.find({}, reader))?.data).to.have.length(1)
    expect(await refusal(() => articles.find({}, reader))).to.equal('403 ForbiddenError: Forbidden')
  })

  it('names the extension, not the principal, as the author of its writes', async () => {
    const created = await articles.create({ title: 'Logged' }, principal('root'))
    const history = await server.get(
      `/admin/history/api::article.article/${String(created['documentId'])}`,
    )
    expect(history.status, history.text).to.equal(200)
    expect(history.body.data[0].by).to.include({ kind: 'extension', name: 'probe' })
  })

  it('refuses calls without a principal, and unknown content-types', async () => {
    const untyped = articles as unknown as {
      readonly find: (query: object, acting?: object) => Promise<unknown>
    }
    const call = (...given: readonly [object, object?]) => untyped.find(...given)
    expect(await refusal(() => call({}))).to.include('name the principal')
    expect(await refusal(() => call({}, {}))).to.include('name the principal')
    expect(() => content['artikles']).to.throw('no content-type artikles; did you mean articles?')
    expect(await Promise.resolve(content)).to.equal(content)
  })
})
