import { expect } from 'chai'
import { slugHistory } from '../../../examples/extensions/slug-history.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'
import { BLOG_TYPES } from './content-types.ts'

describe('examples/extensions/slug-history', () => {
  let server: TestServer
  before(async () => {
    server = await serve('slug_history', {
      contentTypes: BLOG_TYPES,
      permitted: ['api::article.article.find'],
      extensions: [slugHistory()],
    })
  })
  after(() => server.close())

  const create = async (slug: string): Promise<Json> => {
    const { status, body, text } = await server.post('/api/articles', { title: slug, slug })
    expect(status, text).to.equal(201)
    return body.data
  }
  const move = async ({ documentId }: Json, slug: string): Promise<void> => {
    const { status, text } = await server.put(`/api/articles/${documentId}`, { slug })
    expect(status, text).to.equal(200)
  }
  const redirects = async ({ documentId }: Json): Promise<readonly string[]> => {
    const query = `filters[article][documentId]=${documentId}&sort=from`
    const { body } = await server.get(`/api/redirects?${query}`)
    return body.data.map(({ from }: Json) => from)
  }

  it('keeps each earlier slug once', async () => {
    const article = await create('first')
    await move(article, 'second')
    await move(article, 'second')
    await server.put(`/api/articles/${article.documentId}`, { title: 'New title' })
    await move(article, 'third')
    expect(await redirects(article)).to.deep.equal(['first', 'second'])
    await move(article, 'second')
    expect(await redirects(article)).to.deep.equal(['first', 'third'])
  })

  it('gives a slug to the article that uses it now', async () => {
    const old = await create('shared')
    await move(old, 'elsewhere')
    const other = await create('other')
    expect(await redirects(old)).to.deep.equal(['shared'])
    await move(other, 'shared')
    expect(await redirects(old)).to.deep.equal([])
    expect(await redirects(other)).to.deep.equal(['other'])
  })

  it('serves an article by its slug, and redirects from earlier ones', async () => {
    const article = await create('alps')
    await move(article, 'the alps')
    await move(article, 'mountains')
    const at = (slug: string) =>
      server.get(`/api/article-by-slug/${encodeURIComponent(slug)}`, { token: null })
    const found = await at('mountains')
    expect([found.status, found.body.data.documentId]).to.deep.equal([200, article.documentId])
    for (const slug of ['alps', 'the alps']) {
      const moved = await at(slug)
      expect([moved.status, moved.headers.location]).to.deep.equal([
        301,
        '/api/article-by-slug/mountains',
      ])
    }
    expect((await at('nothing')).status).to.equal(404)
    await move(article, 'the alps')
    expect((await at('alps')).headers.location).to.equal('/api/article-by-slug/the%20alps')
    expect((await at('the alps')).status).to.equal(200)
  })

  it('redirects to no draft and to no deleted article', async () => {
    const article = await create('secret')
    await move(article, 'secret plan')
    await server.send('POST', `/api/articles/${article.documentId}/actions/unpublish`)
    expect((await server.get('/api/article-by-slug/secret', { token: null })).status).to.equal(404)
    await server.delete(`/api/articles/${article.documentId}`)
    expect((await server.get('/api/article-by-slug/secret', { token: null })).status).to.equal(404)
  })

  it('keeps no slug for a draft that had none', async () => {
    const { body } = await server.post('/api/articles?status=draft', { title: 'Draft' })
    await move(body.data, 'named')
    expect(await redirects(body.data)).to.deep.equal([])
  })
})
