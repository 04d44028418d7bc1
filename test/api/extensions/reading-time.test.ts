import { expect } from 'chai'
import { readingTime } from '../../../examples/extensions/reading-time.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'
import { BLOG_TYPES } from './content-types.ts'

describe('examples/extensions/reading-time', () => {
  let server: TestServer
  before(async () => {
    server = await serve('reading_time', {
      contentTypes: BLOG_TYPES,
      permitted: ['api::article.article.find', 'api::article.article.findOne'],
      extensions: [readingTime({ wordsPerMinute: 100 })],
    })
  })
  after(() => server.close())

  const bodies: readonly (readonly [string | null, number | null])[] = [
    [null, null],
    ['', 1],
    ['one', 1],
    ['word '.repeat(100), 1],
    ['word\n'.repeat(101), 2],
    ['word '.repeat(1_000), 10],
  ]
  for (const [body, minutes] of bodies) {
    it(`is ${minutes} for ${body?.length ?? 'no'} characters`, async () => {
      const created = await server.post('/api/articles', { title: 'One', body })
      const { documentId } = created.body.data
      const target = `/api/articles/${documentId}`
      const one = await server.get(target, { token: null })
      expect(one.body.data.readingTime).to.equal(minutes)
      const listed = await server.get(`/api/articles?filters[documentId]=${documentId}`)
      expect(listed.body.data.map((entry: Json) => entry.readingTime)).to.deep.equal([minutes])
    })
  }

  it('follows a change of the body, and cannot be written', async () => {
    const { body } = await server.post('/api/articles', { title: 'Two', body: 'short' })
    const target = `/api/articles/${body.data.documentId}`
    await server.put(target, { body: 'word '.repeat(250) })
    expect((await server.get(target)).body.data.readingTime).to.equal(3)
    expect((await server.put(target, { readingTime: 9 })).status).to.equal(400)
  })

  it('is part of the description of the API', async () => {
    const { body } = await server.get('/api/openapi.json')
    expect(body.components.schemas.Article.properties.readingTime.description).to.include(
      'Minutes to read the body',
    )
  })
})
