import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { declare, serve, type TestServer } from '../../support/server.ts'

const RELATIONS = Array.from({ length: 70 }, (_, index) => `tag${index}`)
const MEDIA = Array.from({ length: 10 }, (_, index) => `image${index}`)

const relation = { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' }
const hub = declare('hub', {
  slug: { type: 'uid' },
  rank: { type: 'integer', index: true },
  ...Object.fromEntries(RELATIONS.map((name) => [name, relation])),
  ...Object.fromEntries(MEDIA.map((name) => [name, { type: 'media' }])),
  last: { ...relation, inversedBy: 'hubs' },
})
const tag = declare('tag', {
  name: { type: 'string' },
  hubs: { ...relation, relation: 'oneToMany', target: 'api::hub.hub', mappedBy: 'last' },
})

describe('a type with 71 relations and 10 media attributes', () => {
  let server: TestServer
  let client: MongoClient

  before(async () => {
    server = await serve('wide_types', { contentTypes: { hub, tag } })
    client = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  it('logs a warning at the start that lists the attributes without an index', () => {
    const warnings = server.takeLog().filter(({ msg }) => String(msg).startsWith('api::hub.hub'))
    expect(warnings.map(({ msg }) => msg)).to.deep.equal([
      'api::hub.hub has room for 60 indexes and declares 87: filters and sorts by ' +
        `${[...RELATIONS.slice(54), 'last', ...MEDIA].join(', ')} read the whole list`,
    ])
  })

  it('keeps the indexes of unique and indexed attributes', async () => {
    const indexes = await client.db(server.database).collection('hub_versions').indexes()
    expect(indexes.length).to.be.at.most(64)
    expect(indexes.map(({ name }) => name)).to.include.members([
      'quire_unique_slug',
      'quire_index_rank',
      'quire_order_createdAt',
      'quire_relation_tag0',
    ])
  })

  it('filters, sorts and populates by relations without an index', async () => {
    const { body } = await server.post('/api/tags', { name: 'one' })
    const { documentId } = body.data
    const hubs = { slug: 'a', last: documentId, tag69: documentId }
    expect((await server.post('/api/hubs', hubs)).status).to.equal(201)
    expect((await server.post('/api/hubs', { slug: 'b' })).status).to.equal(201)
    const slugs = async (query: string): Promise<readonly string[]> => {
      const answer = await server.get(`/api/hubs?${query}`)
      expect(answer.status, answer.text).to.equal(200)
      return answer.body.data.map(({ slug }: { readonly slug: string }) => slug)
    }
    expect(await slugs('filters[last][name]=one')).to.deep.equal(['a'])
    expect(await slugs('filters[tag69][name]=one')).to.deep.equal(['a'])
    expect(await slugs('filters[image9][$null]=true&sort=slug')).to.deep.equal(['a', 'b'])
    expect(await slugs('sort=last.name:desc')).to.deep.equal(['a', 'b'])
    const tags = await server.get('/api/tags?populate=hubs')
    expect(tags.body.data[0].hubs.map(({ slug }: { slug: string }) => slug)).to.deep.equal(['a'])
  })

  it('builds no index on the second start', async () => {
    const environment = { MONGODB_DATABASE: server.database }
    const second = await serve('wide_types', {
      contentTypes: { hub, tag },
      environment,
      logLevel: 'info',
    })
    const lines = second.takeLog().map(({ msg }) => String(msg))
    await second.close()
    expect(lines.filter((line) => line.startsWith('Indexes synced'))).to.deep.equal([])
  })
})
