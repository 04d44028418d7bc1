import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

describe('localizations: the other locales of a document', () => {
  let server: TestServer
  const ids = new Map<string, string>()

  before(async () => {
    server = await serve('localizations', {
      locales: ['fr', 'de'],
      contentTypes: {
        article: declare(
          'article',
          {
            title: { type: 'string', ...LOCALIZED },
            topic: {
              type: 'relation',
              relation: 'manyToOne',
              target: 'api::topic.topic',
              ...LOCALIZED,
            },
          },
          { draftAndPublish: true, localized: true },
        ),
        topic: declare('topic', { name: { type: 'string' } }),
      },
      permitted: ['api::article.article.find'],
    })
    const topic = (await server.post('/api/topics', { name: 'sea' })).body.data.documentId
    const write = async (name: string, title: string, query: string, more = {}): Promise<void> => {
      const data = { title, ...more }
      const known = ids.get(name)
      const answer = await (known === undefined
        ? server.post(`/api/articles?${query}`, data)
        : server.put(`/api/articles/${known}?${query}`, data))
      expect(answer.status, answer.text).to.be.oneOf([200, 201])
      ids.set(name, answer.body.data.documentId)
    }
    await write('alone', 'alone', 'locale=en')
    await write('both', 'both', 'locale=en')
    await write('both', 'les deux', 'locale=fr', { topic })
    await write('drafted', 'drafted', 'locale=en')
    await write('drafted', 'entwurf', 'locale=de&status=draft')
  })

  after(() => server.close())

  const titles = async (query: string, token?: null): Promise<readonly string[]> => {
    const sent = token === null ? { token } : {}
    const { status, text, body } = await server.get(`/api/articles?${query}`, sent)
    expect(status, text).to.equal(200)
    expect(body.meta.pagination.total).to.equal(body.data.length)
    return body.data.map(({ title }: Json) => title)
  }

  const found: readonly (readonly [string, string, readonly string[]])[] = [
    ['an attribute', 'filters[localizations][title]=les+deux', ['both']],
    ['an attribute of the locale itself', 'filters[localizations][title]=both', []],
    [
      'an attribute, from another locale',
      'locale=fr&filters[localizations][title]=both',
      ['les deux'],
    ],
    ['a locale', 'filters[localizations][locale]=fr', ['both']],
    ['a locale without published entries', 'filters[localizations][locale]=de', []],
    ['drafts of other locales', 'status=draft&filters[localizations][locale]=de', ['drafted']],
    ['the existence of another locale', 'filters[localizations][$notNull]=true', ['both']],
    ['the absence of other locales', 'filters[localizations][$null]=true', ['alone', 'drafted']],
    ['the absence of one locale', 'filters[$not][localizations][locale]=fr', ['alone', 'drafted']],
    ['a relation of the other locale', 'filters[localizations][topic][name]=sea', ['both']],
    ['a relation, in every locale', 'locale=*&filters[localizations][topic][name]=sea', ['both']],
    [
      'the existence of another locale, in every locale',
      'locale=*&filters[localizations][$null]=false',
      ['both', 'les deux'],
    ],
    [
      'a relation of other locales, in an unknown locale',
      'locale=xx&filters[localizations][topic][name]=sea',
      [],
    ],
    ['a relation, in an unknown locale', 'locale=xx&filters[topic][name]=sea', []],
  ]
  for (const [label, query, expected] of found) {
    it(`filters by ${label}`, async () => {
      expect(await titles(query)).to.deep.equal(expected)
    })
  }

  it('finds a document by the id of its localizations', async () => {
    const both = ids.get('both') ?? ''
    expect(await titles(`filters[localizations][documentId]=${both}`)).to.deep.equal(['both'])
    expect(await titles(`filters[localizations]=${both}`)).to.deep.equal(['both'])
  })

  it('requires no extra permission for localizations, but one for their relations', async () => {
    expect(await titles('filters[localizations][locale]=fr', null)).to.deep.equal(['both'])
    const forbidden = '/api/articles?filters[localizations][topic][name]=sea'
    const { status, body } = await server.get(forbidden, { token: null })
    expect([status, body.error.message]).to.deep.equal([
      400,
      'Invalid key topic at localizations.topic',
    ])
  })

  const refused: readonly (readonly [string, string])[] = [
    [
      'filters[localizations][localizations][title]=x',
      'Invalid key localizations at localizations.localizations',
    ],
    ['filters[localizations][nope]=x', 'Invalid key nope at localizations'],
    ['filters[topic][localizations][name]=x', 'Invalid key localizations at topic'],
    ['sort=localizations.title', 'Invalid key localizations'],
  ]
  for (const [query, message] of refused) {
    it(`refuses ${query}`, async () => {
      const { status, body } = await server.get(`/api/articles?${query}`)
      expect([status, body.error.message]).to.deep.equal([400, message])
    })
  }

  it('filters, sorts and populates localizations in a response', async () => {
    await server.put(`/api/articles/${ids.get('both') ?? ''}?locale=de`, { title: 'beide' })
    const shown = async (query: string): Promise<Json> => {
      const all = `filters[title]=both&populate[localizations]${query}`
      const { status, text, body } = await server.get(`/api/articles?${all}`)
      expect(status, text).to.equal(200)
      return body.data[0].localizations
    }
    const locales = (list: Json): string => list.map(({ locale }: Json) => locale).join()
    expect(locales(await shown('[sort]=title:desc'))).to.equal('fr,de')
    expect(locales(await shown('[sort]=title'))).to.equal('de,fr')
    expect(locales(await shown('[filters][topic][name]=sea'))).to.equal('fr')
    expect(locales(await shown('[filters][localizations][locale]=fr'))).to.equal('de')
    expect(await shown('[count]=true')).to.deep.equal({ count: 2 })
    const [french] = await shown('[populate]=topic&populate[localizations][filters][locale]=fr')
    expect(french.topic.name).to.equal('sea')
  })
})
