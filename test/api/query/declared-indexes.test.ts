import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { declare, serve, type TestServer } from '../../support/server.ts'

const SEO = { info: { displayName: 'SEO' }, attributes: { title: { type: 'string' } } }
const ATTRIBUTES = {
  views: { type: 'integer', index: true },
  text: { type: 'text', index: true },
  extra: { type: 'json', foo: 'bar' },
  tags: { type: 'relation', relation: 'manyToMany', target: 'api::page.page' },
  seo: { type: 'component', component: 'shared.seo', repeatable: true },
}

describe('indexes that a content-type declares', () => {
  let server: TestServer

  before(async () => {
    const page = declare('page', ATTRIBUTES, { draftAndPublish: true })
    const indexes = [['views:desc'], ['seo.title', 'publishedAt:desc'], ['tags', 'views']]
    server = await serve('declared_indexes', {
      contentTypes: {
        page: { ...page, options: { draftAndPublish: true, indexes } },
        'components/shared/seo': SEO,
      },
    })
  })
  after(() => server.close())

  it('builds the indexes at the start, after status and locale and before the id', async () => {
    const client = await MongoClient.connect(server.uri)
    try {
      const pages = client.db(server.database).collection('page_versions')
      const indexes = await pages.listIndexes().toArray()
      const keys = new Map(indexes.map(({ name, key }) => [name, Object.entries(key)]))
      const around = (...paths: [string, number][]): unknown => [
        ['status', 1],
        ['locale', 1],
        ...paths,
        ['id', paths.at(-1)?.[1]],
      ]
      expect(keys.get('quire_index_views')).to.deep.equal(around(['views', 1]))
      expect(keys.get('quire_index_text')).to.deep.equal(around(['text', 1]))
      expect(keys.get('quire_index_views-desc')).to.deep.equal(around(['views', -1]))
      expect(keys.get('quire_index_seo.title_publishedAt-desc')).to.deep.equal(
        around(['seo.title', 1], ['publishedAt', -1]),
      )
      expect(keys.get('quire_index_tags_views')).to.deep.equal(around(['tags', 1], ['views', 1]))
    } finally {
      await client.close()
    }
  })

  it('accepts long texts and lists, and changes no response', async () => {
    const long = 'word '.repeat(2_000)
    const texts = [long, `${long}!`, null, 'b', 'a']
    const made: string[] = []
    for (const [index, text] of texts.entries()) {
      const seo = [{ title: `t${index}` }, { title: 'same' }]
      const answer = await server.post('/api/pages', { text, views: index % 2, seo, tags: made })
      expect(answer.status, answer.text).to.equal(201)
      made.push(answer.body.data.documentId)
    }
    const titles = async (query: string): Promise<readonly unknown[]> => {
      const answer = await server.get(`/api/pages?fields=views&${query}`)
      expect(answer.status, answer.text).to.equal(200)
      return answer.body.data.map(({ documentId }: { documentId: string }) =>
        made.indexOf(documentId),
      )
    }
    expect(await titles('sort=views:desc')).to.deep.equal([3, 1, 4, 2, 0])
    expect(await titles('sort=views,id')).to.deep.equal([0, 2, 4, 1, 3])
    expect(await titles('sort=text')).to.deep.equal([2, 4, 3, 0, 1])
    expect(await titles('filters[views]=1')).to.deep.equal([1, 3])
    expect(await titles('filters[text][$gt]=a')).to.deep.equal([0, 1, 3])
    expect(await titles(`filters[seo][title]=t2`)).to.deep.equal([2])
  })

  it('logs a warning about an unknown key of an attribute', () => {
    const messages = server.takeLog().map(({ msg }) => String(msg))
    const about = messages.filter((message) => message.includes('attributes.extra.foo'))
    expect(about).to.have.lengthOf(1)
    expect(about[0]).to.match(/page\.json: attributes\.extra\.foo: is not known/)
  })
})
