import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { serve, type TestServer } from '../../support/server.ts'

const PROJECT = fileURLToPath(new URL('../../../../test/fixtures/strapi-project', import.meta.url))

/**
 * Files from the generator of the reference, with the additional files of its plugins and its admin
 * panel.
 */
describe('the folder of a Strapi project', () => {
  let server: TestServer

  before(async () => {
    server = await serve('strapi_project', { contentTypes: PROJECT, locales: ['fr'] })
  })

  after(() => server.close())

  it('is read unchanged, with components and extensions', async () => {
    const { body } = await server.get('/admin/content-types')
    const uids = body.data.map(({ uid }: { readonly uid: string }) => uid)
    expect(uids).to.include.members([
      'api::article.article',
      'api::author.author',
      'api::category.category',
      'api::global.global',
    ])
    expect(server.takeLog()).to.deep.equal([])
  })

  it('is served, with its relations, dynamic zones, locales and custom fields', async () => {
    const author = await server.post('/api/authors', { name: 'Ada', email: 'no address' })
    const category = await server.post('/api/categories', { name: 'News', slug: 'news' })
    const article = await server.post('/api/articles?populate=*', {
      title: 'One',
      slug: 'one',
      author: author.body.data.documentId,
      category: category.body.data.documentId,
      blocks: [
        { __component: 'shared.quote', title: 'Q', body: 'text' },
        { __component: 'shared.rich-text', body: '# T' },
      ],
      tint: '#ff0000',
      labels: ['1', '2'],
    })
    expect(article.status, article.text).to.equal(201)
    expect(article.body.data).to.deep.include({ tint: '#ff0000', labels: ['1', '2'] })
    expect(article.body.data.author).to.include({ name: 'Ada' })
    expect(article.body.data.blocks[1]).to.include({ body: '# T' })
    const { documentId } = article.body.data
    const french = await server.put(`/api/articles/${documentId}?locale=fr`, { title: 'Un' })
    expect(french.body.data).to.include({ title: 'Un', slug: null, locale: 'fr' })
    const found = await server.get('/api/articles?filters[tint][$startsWith]=%23ff&fields=title')
    expect(found.body.data).to.have.lengthOf(1)
    const wrong = await server.post('/api/articles', { title: 'Two', tint: 'red' })
    expect(wrong.body.error.message).to.match(/^tint must match the following/)
  })

  it('is served with its single type and its users', async () => {
    const written = await server.put('/api/global?populate=*', {
      siteName: 'S',
      siteDescription: 'D',
      defaultSeo: { metaTitle: 't', metaDescription: 'd' },
    })
    expect(written.status, written.text).to.equal(200)
    expect(written.body.data.defaultSeo).to.include({ metaTitle: 't' })
    const account = { username: 'ada', email: 'ada@quire.test', password: 'Secret123', role: 1 }
    const user = await server.send('POST', '/api/users', { body: account })
    expect(user.body, user.text).to.include({ username: 'ada' })
  })
})
