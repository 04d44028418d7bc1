import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

const PAGE = { type: 'relation', relation: 'manyToMany', target: 'api::page.page' }

describe('a filter on the locale of a related entry', () => {
  let server: TestServer
  let both: string
  let french: string

  before(async () => {
    const title = { type: 'string', pluginOptions: { i18n: { localized: true } } }
    server = await serve('related_locale', {
      contentTypes: {
        page: declare('page', { title }, { localized: true }),
        tag: declare('tag', { name: { type: 'string' }, pages: PAGE }),
      },
      locales: ['fr'],
    })
    const page = async (path: string, data: object): Promise<string> => {
      const answer = await server.post(path, data)
      expect(answer.status, answer.text).to.equal(201)
      return answer.body.data.documentId
    }
    both = await page('/api/pages', { title: 'Hello' })
    await server.put(`/api/pages/${both}?locale=fr`, { title: 'Bonjour' })
    french = await page('/api/pages?locale=fr', { title: 'Seulement' })
    await server.post('/api/tags', { name: 'both', pages: [both] })
    await server.post('/api/tags', { name: 'french', pages: [french] })
    await server.post('/api/tags', { name: 'none' })
  })
  after(() => server.close())

  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['filters[pages][title]=Bonjour', []],
    ['filters[pages][locale]=fr', ['both', 'french']],
    ['filters[pages][locale]=en', ['both']],
    ['filters[pages][locale][$in][0]=fr&filters[pages][locale][$in][1]=en', ['both', 'french']],
    ['filters[pages][locale]=fr&filters[pages][title]=Bonjour', ['both']],
    ['filters[pages][locale]=en&filters[pages][title]=Bonjour', []],
    ['filters[pages][locale]=de', []],
    ['locale=fr&filters[pages][title]=Bonjour', ['both']],
    ['locale=en&filters[pages][locale]=fr&filters[pages][title]=Seulement', ['french']],
    ['filters[$not][pages][locale]=fr', ['none']],
  ]
  for (const [query, names] of rows) {
    it(`applies from a type without locales: ${query}`, async () => {
      const { status, body, text } = await server.get(`/api/tags?${query}`)
      expect(status, text).to.equal(200)
      expect(body.data.map(({ name }: { name: string }) => name)).to.deep.equal(names)
    })
  }
})
