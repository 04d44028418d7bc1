import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const relation = (kind: string, target: string, more: object): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
})

const MANY = 12

describe('relations written by many clients at once', () => {
  let server: TestServer

  before(async () => {
    server = await serve('concurrent_relations', {
      contentTypes: {
        post: declare(
          'post',
          {
            tags: relation('manyToMany', 'tag', { inversedBy: 'posts' }),
            main: relation('manyToOne', 'tag', { inversedBy: 'mains' }),
            badge: relation('oneToOne', 'tag', { inversedBy: 'bearer' }),
          },
          { draftAndPublish: true },
        ),
        tag: declare('tag', {
          posts: relation('manyToMany', 'post', { mappedBy: 'tags' }),
          mains: relation('oneToMany', 'post', { mappedBy: 'main' }),
          bearer: relation('oneToOne', 'post', { mappedBy: 'badge' }),
        }),
      },
    })
  })

  after(() => server.close())

  const make = async (path: string, count: number): Promise<readonly string[]> => {
    const made = await Promise.all(Array.from({ length: count }, () => server.post(path, {})))
    return made.map(({ body }) => body.data.documentId as string)
  }

  const putAll = async (
    requests: readonly (readonly [string, object])[],
  ): Promise<readonly string[]> => {
    const answers = await Promise.all(requests.map(([path, data]) => server.put(path, data)))
    return answers.map(({ status, text }) => (status === 200 ? '200' : `${status} ${text}`))
  }

  const idsIn = (list: Json): readonly string[] =>
    list.map(({ documentId }: Json) => documentId as string)

  const lists: readonly (readonly [string, string, string])[] = [
    ['a many-to-many list', 'tags', 'posts'],
    ['a one-to-many list', 'main', 'mains'],
  ]
  for (const [label, owning, inverse] of lists) {
    it(`keeps every entry that is connected to ${label} from either side`, async () => {
      const [tag = ''] = await make('/api/tags', 1)
      const posts = await make('/api/posts', MANY * 2)
      const requests = posts.map((post, index): readonly [string, object] =>
        index % 2 === 0
          ? [`/api/posts/${post}`, { [owning]: { connect: [tag] } }]
          : [`/api/tags/${tag}`, { [inverse]: { connect: [post] } }],
      )
      expect(await putAll(requests)).to.deep.equal(posts.map(() => '200'))
      for (const status of ['published', 'draft']) {
        const query = `status=${status}&populate=${inverse}`
        const { body } = await server.get(`/api/tags/${tag}?${query}`)
        expect(idsIn(body.data[inverse]), status).to.have.members(posts)
        const all = `filters[${owning}][documentId]=${tag}&pagination[pageSize]=100`
        const found = await server.get(`/api/posts?status=${status}&${all}&populate=${owning}`)
        expect(idsIn(found.body.data), status).to.have.members(posts)
      }
    })
  }

  it('keeps the other entries while some are disconnected from either side', async () => {
    const [tag = ''] = await make('/api/tags', 1)
    const posts = await make('/api/posts', MANY)
    await server.put(`/api/tags/${tag}`, { posts: { set: posts } })
    const leaving = posts.filter((_, index) => index % 3 === 0)
    const joining = await make('/api/posts', MANY / 2)
    const requests = [
      ...leaving.map((post, index): readonly [string, object] =>
        index % 2 === 0
          ? [`/api/posts/${post}`, { tags: { disconnect: [tag] } }]
          : [`/api/tags/${tag}`, { posts: { disconnect: [post] } }],
      ),
      ...joining.map((post): readonly [string, object] => [
        `/api/tags/${tag}`,
        { posts: { connect: [post] } },
      ]),
    ]
    expect(await putAll(requests)).to.deep.equal(requests.map(() => '200'))
    const { body } = await server.get(`/api/tags/${tag}?populate=posts`)
    const staying = posts.filter((post) => !leaving.includes(post))
    expect(idsIn(body.data.posts).slice(0, staying.length)).to.deep.equal(staying)
    expect(idsIn(body.data.posts)).to.have.members([...staying, ...joining])
  })

  it('keeps exactly one entry in a one-to-one relation that is written from both sides', async () => {
    const [tag = ''] = await make('/api/tags', 1)
    const posts = await make('/api/posts', MANY)
    const requests = posts.map((post, index): readonly [string, object] =>
      index % 2 === 0
        ? [`/api/posts/${post}`, { badge: tag }]
        : [`/api/tags/${tag}`, { bearer: post }],
    )
    expect(await putAll(requests)).to.deep.equal(posts.map(() => '200'))
    for (const status of ['published', 'draft']) {
      const query = `status=${status}&filters[badge][documentId]=${tag}`
      const bearers = idsIn((await server.get(`/api/posts?${query}`)).body.data)
      expect(bearers, status).to.have.length(1)
      const { body } = await server.get(`/api/tags/${tag}?status=${status}&populate=bearer`)
      expect(body.data.bearer.documentId, status).to.equal(bearers[0])
    }
  })
})
