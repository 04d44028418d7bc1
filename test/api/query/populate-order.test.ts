import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const tags = (inversedBy?: string): object => ({
  type: 'relation',
  relation: 'manyToMany',
  target: 'api::tag.tag',
  ...(inversedBy !== undefined && { inversedBy }),
})
const TYPES = {
  post: declare('post', { title: { type: 'string' }, tags: tags('posts') }),
  album: declare('album', { files: { type: 'media', multiple: true } }),
  group: declare('group', { name: { type: 'string' } }),
  tag: declare('tag', {
    name: { type: 'string' },
    slug: { type: 'string' },
    rank: { type: 'integer' },
    price: { type: 'decimal' },
    big: { type: 'biginteger' },
    day: { type: 'date' },
    extra: { type: 'json' },
    part: { type: 'component', component: 'shared.part' },
    parts: { type: 'component', component: 'shared.part', repeatable: true },
    group: { type: 'relation', relation: 'manyToOne', target: 'api::group.group' },
    posts: { type: 'relation', relation: 'manyToMany', target: 'api::post.post', mappedBy: 'tags' },
  }),
  'components/shared/part': { attributes: { label: { type: 'string' } } },
}

describe('populate with an order', () => {
  let server: TestServer
  const named = new Map<string, string>()
  let post: string

  before(async () => {
    server = await serve('populate_order', { contentTypes: TYPES })
    const group = (await server.post('/api/groups', { name: 'g' })).body.data.documentId
    // a, c, e and g differ by their names only.
    const equal = {
      rank: 1,
      price: '1.10',
      big: '9007199254740993',
      day: '2024-01-01',
      extra: [1, 2],
      part: { label: 'x' },
      parts: [{ label: 'x' }, { label: 'y' }],
      group,
    }
    const others = {
      rank: 2,
      price: '1.2',
      big: '9007199254740995',
      day: '2025-01-01',
      extra: [3],
      part: { label: 'z' },
      parts: [{ label: 'z' }],
      slug: 's',
    }
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      const data = 'aceg'.includes(name) ? { ...equal, price: name < 'd' ? '1.1' : '1.10' } : others
      const made = await server.post('/api/tags', { ...data, name })
      expect(made.status, made.text).to.equal(201)
      named.set(name, made.body.data.documentId)
    }
    post = (await server.post('/api/posts', { title: 'p', tags: ids('gbecfad') })).body.data
      .documentId
  })
  after(() => server.close())

  const ids = (names: string): readonly string[] =>
    names.split('').map((name) => named.get(name) ?? '')
  const shown = async (target: string, attribute = 'tags'): Promise<string> => {
    const answer = await server.get(target)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data[attribute].map(({ name }: Json) => name).join('')
  }

  const keys = [
    'slug',
    'rank',
    'price',
    'big',
    'day',
    'extra',
    'part.label',
    'parts.label',
    'group.name',
  ]
  for (const key of keys) {
    const othersFirst = key === 'group.name' // they have no group
    it(`keeps the order of the relation among entries equal by ${key}`, async () => {
      const query = (direction: string): string =>
        `/api/posts/${post}?populate[tags][sort]=${key}:${direction}`
      expect(await shown(query('asc'))).to.equal(othersFirst ? 'bfdgeca' : 'gecabfd')
      expect(await shown(query('desc'))).to.equal(othersFirst ? 'gecabfd' : 'bfdgeca')
      expect(await shown(`${query('asc')}&populate[tags][fields]=name`)).to.have.length(7)
    })
  }

  it('sorts by each key in turn', async () => {
    const sort = 'populate[tags][sort][0]=rank:desc&populate[tags][sort][1]=name'
    expect(await shown(`/api/posts/${post}?${sort}`)).to.equal('bdfaceg')
  })

  it('returns a page in that order, with the requested fields only', async () => {
    const part = 'populate[tags][pagination][start]=1&populate[tags][pagination][limit]=3'
    const query = `populate[tags][sort]=slug&${part}&populate[tags][fields]=name`
    const { body } = await server.get(`/api/posts/${post}?${query}`)
    expect(body.data.tags.map(({ name }: Json) => name).join('')).to.equal('eca')
    expect(Object.keys(body.data.tags[0])).to.deep.equal(['id', 'documentId', 'name'])
    const through = `populate[tags][sort]=group.name&populate[tags][fields]=name`
    const one = (await server.get(`/api/posts/${post}?${through}`)).body.data.tags[0]
    expect(Object.keys(one)).to.deep.equal(['id', 'documentId', 'name'])
  })

  it('sorts each of several lists separately', async () => {
    const other = (await server.post('/api/posts', { title: 'q', tags: ids('acbge') })).body.data
    const { body } = await server.get('/api/posts?sort=title&populate[tags][sort]=slug')
    const orders = body.data.map(({ tags }: Json) => tags.map(({ name }: Json) => name).join(''))
    expect(orders).to.deep.equal(['gecabfd', 'acgeb'])
    await server.delete(`/api/posts/${other.documentId}`)
  })

  it('keeps the order of an inverse side, then sorts by id', async () => {
    const made: string[] = []
    for (const title of ['1', '2', '3', '4']) {
      made.push((await server.post('/api/posts', { title })).body.data.documentId)
    }
    const [one, two, three, four] = made
    const tag = (await server.post('/api/tags', { name: 't', posts: [three, one, two] })).body.data
    const query = `/api/tags/${tag.documentId}?populate[posts][sort]=publishedAt`
    const titles = async (target: string): Promise<string> => {
      const { body } = await server.get(target)
      return body.data.posts.map(({ title }: Json) => title).join('')
    }
    expect(await titles(query.replace('publishedAt', 'tags.rank'))).to.equal('312')
    await server.put(`/api/posts/${four}`, { tags: [tag.documentId] })
    expect(await titles(query.replace('publishedAt', 'tags.slug:desc'))).to.equal('3124')
  })

  it('keeps the order of files', async () => {
    const files = ['x', 'y', 'z'].map((name) => ({ name: `${name}.txt`, content: name }))
    const body = multipart({ files })
    const uploaded = await server.send('POST', '/api/upload', { headers: MULTIPART, body })
    const [x, y, z] = uploaded.body.map(({ documentId }: Json) => documentId)
    const album = (await server.post('/api/albums', { files: [z, x, y] })).body.data.documentId
    const query = `/api/albums/${album}?populate[files][sort]=caption:desc`
    expect(await shown(query, 'files')).to.equal('z.txtx.txty.txt')
  })
})
