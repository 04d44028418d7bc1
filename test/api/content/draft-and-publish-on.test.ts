import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const ATTRIBUTES = {
  title: { type: 'string', ...LOCALIZED },
  slug: { type: 'uid' },
  views: { type: 'biginteger' },
  price: { type: 'decimal' },
  link: { type: 'component', component: 'shared.link' },
  tags: {
    type: 'relation',
    relation: 'manyToMany',
    target: 'api::tag.tag',
    inversedBy: 'posts',
  },
}
const types = (draftAndPublish: boolean) => ({
  post: declare('post', ATTRIBUTES, { draftAndPublish, localized: true }),
  other: declare('other', { title: { type: 'string' } }, { draftAndPublish: true }),
  tag: declare('tag', {
    name: { type: 'string' },
    posts: { type: 'relation', relation: 'manyToMany', target: 'api::post.post', mappedBy: 'tags' },
  }),
  'components/shared/link': { attributes: { label: { type: 'string' } } },
})

describe('draft & publish turned on later', () => {
  let first: TestServer
  let client: MongoClient
  const opened: TestServer[] = []

  beforeEach(async () => {
    first = await serve('drafts_on', { contentTypes: types(false), locales: ['fr'] })
    client = await MongoClient.connect(first.uri)
  })
  afterEach(async () => {
    await client.close()
    for (const server of opened.splice(0)) await server.close()
    await first.close()
  })

  const reopen = async (draftAndPublish: boolean): Promise<TestServer> => {
    const environment = { MONGODB_DATABASE: first.database }
    const server = await serve('drafts_on', { contentTypes: types(draftAndPublish), environment })
    opened.push(server)
    return server
  }
  const versions = () => client.db(first.database).collection('post_versions')
  const create = async (server: TestServer, data: object, query = ''): Promise<string> => {
    const answer = await server.post(`/api/posts${query}`, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data.documentId
  }
  const put = async (server: TestServer, target: string, data: object): Promise<void> => {
    const answer = await server.put(`/api/posts/${target}`, data)
    expect(answer.status, answer.text).to.equal(200)
  }
  const entries = async (server: TestServer, query: string): Promise<readonly Json[]> => {
    const answer = await server.get(`/api/posts?${query}&sort=documentId&pagination[pageSize]=100`)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }
  const title = async (server: TestServer, documentId: string, status: string): Promise<unknown> =>
    (await server.get(`/api/posts/${documentId}?status=${status}`)).body.data?.title

  it('creates the draft of each published entry once, even if several servers start together', async () => {
    const tag = (await first.post('/api/tags', { name: 't' })).body.data.documentId
    for (let index = 0; index < 7; index += 1) {
      const data = {
        title: `p${index}`,
        slug: `p-${index}`,
        views: '9007199254740993',
        price: '1.10',
        link: { label: 'a' },
        tags: [tag],
      }
      const documentId = await create(first, data)
      if (index % 2 === 0) await put(first, `${documentId}?locale=fr`, { title: `f${index}` })
    }
    const [server] = await Promise.all([reopen(true), reopen(true), reopen(true)])
    for (const [locale, count] of [
      ['en', 7],
      ['fr', 4],
    ] as const) {
      const [drafts, published] = [
        await entries(server, `locale=${locale}&status=draft&populate=*`),
        await entries(server, `locale=${locale}&populate=*`),
      ]
      expect(drafts).to.have.length(count)
      const content = ({ id: _id, publishedAt: _at, localizations: _l, ...rest }: Json): Json =>
        rest
      expect(drafts.map(content)).to.deep.equal(published.map(content))
      expect(drafts.map(({ publishedAt }) => publishedAt)).to.deep.equal(Array(count).fill(null))
    }
    const ids = (await versions().find({}).toArray()).map(({ id }) => Number(id))
    expect(new Set(ids).size).to.equal(22)
    const tagged = await server.get(`/api/tags/${tag}?status=draft&populate[posts][count]=true`)
    expect(tagged.body.data.posts).to.deep.equal({ count: 7 })
    const [draft] = await entries(server, 'status=draft')
    await put(server, draft.documentId, { title: 'published again' })
    expect(await title(server, draft.documentId, 'published')).to.equal('published again')
  })

  it('completes a start that was killed halfway', async () => {
    const made: string[] = []
    for (const name of ['a', 'b', 'c']) made.push(await create(first, { title: name }))
    await reopen(true)
    await versions().deleteOne({ documentId: made[1] ?? '', status: 'draft' })
    const settings = client.db(first.database).collection<{ _id: string }>('quire_settings')
    await settings.deleteOne({ _id: 'drafts' })
    await put(opened[0] ?? first, `${made[0]}?status=draft`, { title: 'unpublished' })
    const server = await reopen(true)
    expect(await entries(server, 'status=draft')).to.have.length(3)
    expect(await title(server, made[0] ?? '', 'draft')).to.equal('unpublished')
  })

  it('keeps drafts from before it was off, unless the entry was written in the meantime', async () => {
    const on = await reopen(true)
    const kept = await create(on, { title: 'kept' })
    const overtaken = await create(on, { title: 'overtaken' })
    const alone = await create(on, { title: 'alone' }, '?status=draft')
    for (const documentId of [kept, overtaken]) {
      await put(on, `${documentId}?status=draft`, { title: 'not published yet' })
    }
    const off = await reopen(false)
    await put(off, overtaken, { title: 'written while off' })
    const added = await create(off, { title: 'added while off' })
    const again = await reopen(true)
    expect(await title(again, kept, 'draft')).to.equal('not published yet')
    expect(await title(again, kept, 'published')).to.equal('kept')
    expect(await title(again, overtaken, 'draft')).to.equal('written while off')
    expect(await title(again, alone, 'draft')).to.equal('alone')
    expect(await title(again, added, 'draft')).to.equal('added while off')
  })
})
