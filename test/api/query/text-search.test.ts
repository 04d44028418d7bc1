import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

const ARTICLE = declare(
  'article',
  {
    title: { type: 'string', alias: ['headline'], ...LOCALIZED },
    body: { type: 'richtext', ...LOCALIZED },
    parts: {
      type: 'component',
      component: 'shared.part',
      repeatable: true,
      ...LOCALIZED,
    },
    notes: { type: 'text', private: true },
    topic: { type: 'relation', relation: 'manyToOne', target: 'api::topic.topic' },
  },
  {
    draftAndPublish: true,
    localized: true,
    search: { title: 4, body: 1, parts: 1 },
  },
)

const MANY_WORDS = Array.from({ length: 17 }, (_, at) => `word${at}`).join('+')

describe('search: entries by the words of their texts', () => {
  let server: TestServer

  before(async () => {
    server = await serve('text_search', {
      locales: ['de', 'ja'],
      contentTypes: {
        article: ARTICLE,
        'queries/find-articles': {
          type: 'article',
          parameters: { text: { type: 'string' }, after: { type: 'string', default: '' } },
          rank: { query: { $param: 'text' }, fields: 'title' },
          fields: ['title'],
          sort: 'title:desc',
          pagination: { cursor: { $param: 'after' }, pageSize: 2 },
        },
        topic: declare('topic', { name: { type: 'string' } }),
        'components/shared/part': {
          attributes: {
            text: { type: 'text' },
            secret: { type: 'text', private: true },
          },
        },
      },
      permitted: ['api::article.article.find', 'query::find-articles'],
    })
    await write('Mountains of the north', { body: 'Long walks under a **blue** sky.' })
    await write('A blue boat', { body: 'It sails [far](https://hidden.example/zebra).' })
    await write('Cafés of Paris', { body: 'Running water, and a mountain of cups' })
    await write('The Who', { parts: [{ text: 'Guitars and pianos', secret: 'walrus' }] })
    await write('Silence', { notes: 'walrus' })
    await write('Die Häuser am Berg', { body: 'Ein Kapitel' }, 'locale=de')
    await write('京都のお寺', {}, 'locale=ja')
    await server.indexed()
  })

  after(() => server.close())

  const write = async (title: string, more: object, query = 'locale=en'): Promise<string> => {
    const answer = await server.post(`/api/articles?${query}`, { title, ...more })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }

  const search = async (query: string): Promise<Json> => {
    const { status, text, body } = await server.get(encodeURI(`/api/articles?${query}`), {
      token: null,
    })
    expect(status, text).to.equal(200)
    return body
  }

  const titles = async (query: string): Promise<readonly string[]> => {
    const { data } = await search(query)
    return data.map(({ title }: Json) => title)
  }

  const found = (word: string, count: number): Promise<void> =>
    until(async () => (await titles(`search=${word}`)).length === count, 20_000)

  const FOUND: readonly (readonly [string, string, readonly string[]])[] = [
    ['a word in another form', 'search=walking', ['Mountains of the north']],
    ['a word without its accent', 'search=cafe', ['Cafés of Paris']],
    ['a word with another accent', 'search=càfés', ['Cafés of Paris']],
    ['a title before a text', 'search=blue', ['A blue boat', 'Mountains of the north']],
    ['the start of the last word', 'search=mount', ['Mountains of the north', 'Cafés of Paris']],
    ['the start of an inflected word', 'search=runni', ['Cafés of Paris']],
    ['no start of a complete word', 'search=mount+', []],
    ['a phrase', 'search="a blue boat"', ['A blue boat']],
    ['no phrase in another order', 'search="boat blue"', []],
    ['words of components', 'search=guitar', ['The Who']],
    ['a title of stop words', 'search=the+who', ['The Who', 'Mountains of the north']],
    ['words of the locale', 'search=haus&locale=de', ['Die Häuser am Berg']],
    ['words of scripts without spaces', 'search=お寺&locale=ja', ['京都のお寺']],
    ['the named attributes', 'search[query]=blue&search[fields]=title', ['A blue boat']],
    ['attributes that aliases name', 'search[query]=blue&search[fields]=headline', ['A blue boat']],
    ['no private attributes', 'search=walrus', []],
    ['no addresses of links', 'search=zebra', []],
    ['all words', 'search[query]=blue+sky&search[match]=all', ['Mountains of the north']],
    ['filtered entries', 'search=blue&filters[title][$contains]=boat', ['A blue boat']],
    ['an empty text as a list', 'search=&filters[title]=Silence', ['Silence']],
  ]
  for (const [what, query, expected] of FOUND) {
    it(`finds ${what}`, async () => {
      const { data, meta } = await search(query)
      expect(data.map(({ title }: Json) => title)).to.deep.equal(expected)
      expect(meta.pagination.total).to.equal(expected.length)
    })
  }

  it('names the searched words', async () => {
    const { meta } = await search('search=The+blue+Café')
    expect(meta.search).to.deep.equal({ terms: ['blue', 'cafe'] })
  })

  it('shows the matches of the named attributes, in the order of the entries', async () => {
    const { data, meta } = await search(
      'search[query]=blue&search[highlights]=title,body&fields=id',
    )
    expect(meta.search.highlights).to.deep.equal([
      { title: ['A ', 'blue', ' boat'] },
      { body: ['Long walks under a **', 'blue', '** sky.'] },
    ])
    for (const entry of data) expect(entry).to.have.all.keys('id', 'documentId')
  })

  it('shows matches under the alias that names an attribute', async () => {
    const { meta } = await search('search[query]=boat&search[highlights]=headline')
    expect(meta.search.highlights).to.deep.equal([{ headline: ['A blue ', 'boat', ''] }])
  })

  it('shows matches in components without private members, and no unselected component', async () => {
    const { data, meta } = await search('search[query]=walrus+guitar&search[highlights]=parts')
    expect(meta.search.highlights).to.deep.equal([{ parts: ['', 'Guitars', ' and pianos'] }])
    expect(data[0]).to.not.have.property('parts')
  })

  it('refuses the cursor of another search', async () => {
    const first = await search('search=blue&pagination[cursor]=&pagination[pageSize]=1')
    const page = `pagination[pageSize]=1&pagination[cursor]=${first.meta.pagination.nextCursor}`
    for (const other of [
      'search=green',
      'search[query]=blue&search[fields]=title',
      'search[query]=blue&search[match]=all',
      'search=blue&filters[title][$ne]=x',
      'search=blue&_q=blue',
    ]) {
      const answer = await server.get(`/api/articles?${other}&${page}`)
      expect([answer.status, answer.body.error?.message], other).to.deep.equal([
        400,
        'pagination[cursor]: belongs to another order; start with an empty cursor',
      ])
    }
  })

  it('turns pages with cursors', async () => {
    const first = await search('search=blue&pagination[cursor]=&pagination[pageSize]=1')
    const cursor = first.meta.pagination.nextCursor
    const next = await search(`search=blue&pagination[pageSize]=1&pagination[cursor]=${cursor}`)
    expect(first.data[0].title).to.equal('A blue boat')
    expect(next.data[0].title).to.equal('Mountains of the north')
    expect(next.meta.pagination).to.include({ nextCursor: null, total: 2 })
  })

  it('turns pages with numbers', async () => {
    const page = 'pagination[page]=2&pagination[pageSize]=1'
    expect(await titles(`search=blue&${page}`)).to.deep.equal(['Mountains of the north'])
  })

  const REFUSED: readonly (readonly [string, string])[] = [
    [
      'articles?search[text]=a',
      'search[text]: expected query, match, fields, highlights or facets',
    ],
    ['articles?search[query]=a&search[match]=none', 'search[match]: expected any or all'],
    [
      `articles?search[query]=${MANY_WORDS}&search[match]=all`,
      'search[query]: at most 16 different words with search[match]=all',
    ],
    ['articles?search[query][a]=b', 'search[query]: expected one text'],
    ['articles?search[query]=a&search[fields]=notes', 'search[fields]: notes is not searched'],
    [
      'articles?search[query]=a&search[highlights]=notes',
      'search[highlights]: notes is not searched',
    ],
    ['articles?search[query]=a&search[fields]=gone', 'search[fields]: gone is not searched'],
    [
      'articles?search=a&sort=title',
      'search: the results are in the order of relevance; leave out sort',
    ],
    ['articles?search=a%00b', 'search[query]: a NUL character cannot be stored'],
    [`articles?search=${'a'.repeat(257)}`, 'search[query]: at most 256 characters'],
    ['topics?search=a', 'search: this content-type has no option search'],
    [
      'articles?search=a&pagination[cursor]=abc',
      'pagination[cursor]: is not a cursor of this server',
    ],
  ]
  for (const [path, message] of REFUSED) {
    it(`refuses ${path.slice(0, 60)}`, async () => {
      const { status, body } = await server.get(`/api/${path}`)
      expect(status).to.equal(400)
      expect(body.error.message).to.equal(message)
    })
  }

  const asked = async (parameters: string): Promise<Json> => {
    const answer = await server.get(`/api/_q/find-articles?${parameters}`, { token: null })
    expect(answer.status, answer.text).to.equal(200)
    const { data, meta } = answer.body
    return { titles: data.map(({ title }: Json) => title), ...meta }
  }

  it('ranks in named queries, whose order without a text is that of sort', async () => {
    const found = await asked('text=mountains+blue')
    expect(found.titles).to.have.members(['A blue boat', 'Mountains of the north'])
    expect(found.search).to.deep.equal({ terms: ['mountains', 'blue'] })
    expect(found.pagination).to.include({ total: 2, nextCursor: null })
    const all = await asked('')
    expect(all.titles).to.deep.equal(['The Who', 'Silence'])
    expect(all).to.not.have.property('search')
    const next = await asked(`after=${all.pagination.nextCursor}`)
    expect(next.titles).to.deep.equal(['Mountains of the north', 'Cafés of Paris'])
  })

  it('keeps no response of a named query that ranks', async () => {
    expect((await asked('text=gabbro')).titles).to.deep.equal([])
    const id = await write('Gabbro', {})
    await until(async () => (await asked('text=gabbro')).titles.length === 1, 20_000)
    expect((await server.send('DELETE', `/api/articles/${id}`)).status).to.equal(204)
    expect((await asked('text=gabbro')).titles).to.deep.equal([])
  })

  it('follows updates and publications', async () => {
    const id = await write('Quartz', {})
    await found('quartz', 1)
    await server.put(`/api/articles/${id}`, { title: 'Basalt' })
    await found('basalt', 1)
    await found('quartz', 0)
    await server.send('POST', `/api/articles/${id}/actions/unpublish`)
    await found('basalt', 0)
  })
})
