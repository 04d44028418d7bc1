import { expect } from 'chai'
import { importDocuments } from '../../../src/transfer/import/import-documents.ts'
import { openIdAllocator } from '../../../src/mongo/system/id-allocator.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { ContentTypePlan } from '../../../src/schema/plan.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const relation = (kind: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
})

const TAG = {
  name: { type: 'string', pluginOptions: { i18n: { localized: true } } },
  posts: relation('manyToMany', 'post', { mappedBy: 'tags' }),
} as const

describe('related entries that disappear and return', () => {
  let server: TestServer
  let ids: readonly string[]
  let post: string

  before(async () => {
    server = await serve('vanishing_targets', {
      locales: ['fr'],
      contentTypes: {
        post: declare('post', {
          title: { type: 'string' },
          tags: relation('manyToMany', 'tag', { inversedBy: 'posts' }),
          main: relation('manyToOne', 'tag'),
          links: { type: 'component', component: 'shared.link', repeatable: true },
          zone: { type: 'dynamiczone', components: ['shared.link'] },
        }),
        tag: declare('tag', TAG, { draftAndPublish: true, localized: true }),
        'components/shared/link': {
          info: { displayName: 'link' },
          attributes: { tag: relation('oneToOne', 'tag') },
        },
      },
    })
  })

  after(() => server.close())

  /** Creates three tags, and a post that references the second one in every possible way. */
  beforeEach(async () => {
    const made: string[] = []
    for (const name of ['a', 'b', 'c']) {
      const answer = await server.post('/api/tags', { name })
      expect(answer.status, answer.text).to.equal(201)
      made.push(answer.body.data.documentId)
    }
    ids = made
    const [, b] = ids
    const answer = await server.post('/api/posts', {
      tags: ids,
      main: b,
      links: [{ tag: b }],
      zone: [{ __component: 'shared.link', tag: b }],
    })
    expect(answer.status, answer.text).to.equal(201)
    post = answer.body.data.documentId
  })

  const POPULATED =
    'populate[tags]=true&populate[main]=true&populate[links][populate]=tag&populate[zone][populate]=*'

  /** The visible names: of the list, and of the second tag in each reference of the post. */
  const shown = async (query = ''): Promise<readonly [string, readonly Json[]]> => {
    const answer = await server.get(`/api/posts/${post}?${POPULATED}&${query}`)
    expect(answer.status, answer.text).to.equal(200)
    const { tags, main, links, zone } = answer.body.data
    const singles = [main, links[0].tag, zone[0].tag].map((tag: Json) => tag?.name ?? null)
    return [tags.map(({ name }: Json) => name).join(''), singles]
  }

  const GONE = ['ac', [null, null, null]]
  const THERE = ['abc', ['b', 'b', 'b']]

  const found = async (filter: string): Promise<boolean> => {
    const query = `filters[documentId]=${post}&filters${filter}`
    const answer = await server.get(`/api/posts?${query}`)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.meta.pagination.total).to.equal(answer.body.data.length)
    return answer.body.data.length === 1
  }

  const expectGone = async (): Promise<void> => {
    const [, b = ''] = ids
    expect(await shown()).to.deep.equal(GONE)
    const counted = await server.get(`/api/posts/${post}?populate[tags][count]=true`)
    expect(counted.body.data.tags).to.deep.equal({ count: 2 })
    expect(await found('[tags][name]=b')).to.equal(false)
    expect(await found('[main][name]=b')).to.equal(false)
    expect(await found('[main][$null]=true')).to.equal(true)
    expect(await found('[links][tag][name]=b')).to.equal(false)
    expect(await found(`[tags][documentId]=${b}`)).to.equal(false)
    expect((await server.get('/api/posts?sort=main.name')).status).to.equal(200)
  }

  /** Stored references to missing entries do not prevent changes of the post and of its list. */
  const changePost = async (): Promise<void> => {
    const [a = '', , c = ''] = ids
    const position = { before: a }
    const changed = await server.put(`/api/posts/${post}`, {
      title: 'changed',
      tags: { connect: [{ documentId: c, position }] },
    })
    expect(changed.status, changed.text).to.equal(200)
    const back = { tags: { connect: [{ documentId: c, position: { end: true } }] } }
    expect((await server.put(`/api/posts/${post}`, back)).status).to.equal(200)
  }

  it('hides a deleted entry, and shows it again after an import and a publication', async () => {
    const [, b = ''] = ids
    expect((await server.delete(`/api/tags/${b}?locale=*`)).status).to.equal(204)
    await expectGone()
    await changePost()
    await expectGone()
    await importTag(b, 'draft')
    await expectGone()
    const draft = await server.get(`/api/tags/${b}?status=draft&populate=posts`)
    expect(draft.body.data.posts.map(({ documentId }: Json) => documentId)).to.deep.equal([post])
    expect((await server.put(`/api/tags/${b}`, {})).status).to.equal(200)
    expect(await shown()).to.deep.equal(THERE)
    expect(await found('[tags][name]=b')).to.equal(true)
  })

  it('hides an entry that is a draft only, and shows it again after its publication', async () => {
    const [, b = ''] = ids
    await server.delete(`/api/tags/${b}`)
    await importTag(b, 'draft')
    await expectGone()
    expect(await shown('status=draft')).to.deep.equal(THERE)
    await changePost()
    expect((await server.put(`/api/tags/${b}`, { name: 'b' })).status).to.equal(200)
    expect(await shown()).to.deep.equal(THERE)
  })

  it('hides a deleted locale of an entry, and shows it again after a PUT', async () => {
    const [, b = ''] = ids
    for (const id of ids) {
      expect((await server.put(`/api/tags/${id}?locale=fr`, { name: 'f' })).status).to.equal(200)
    }
    expect(await shown('locale=fr')).to.deep.equal(['fff', ['f', 'f', 'f']])
    expect((await server.delete(`/api/tags/${b}?locale=fr`)).status).to.equal(204)
    expect(await shown('locale=fr')).to.deep.equal(['ff', [null, null, null]])
    expect(await shown()).to.deep.equal(THERE)
    await changePost()
    expect((await server.put(`/api/tags/${b}?locale=fr`, { name: 'g' })).status).to.equal(200)
    expect(await shown('locale=fr')).to.deep.equal(['fgf', ['g', 'g', 'g']])
  })

  it('removes a deleted owner from the inverse side', async () => {
    const [a = ''] = ids
    const posts = async (): Promise<number> =>
      (await server.get(`/api/tags/${a}?populate=posts`)).body.data.posts.length
    expect(await posts()).to.equal(1)
    await server.delete(`/api/posts/${post}`)
    expect(await posts()).to.equal(0)
    const filtered = await server.get(
      `/api/tags?filters[documentId]=${a}&filters[posts][$null]=true`,
    )
    expect(filtered.body.meta.pagination.total).to.equal(1)
    expect((await server.put(`/api/tags/${a}`, { name: 'a' })).status).to.equal(200)
    expect(await posts()).to.equal(0)
  })

  it('refuses to connect a deleted entry', async () => {
    const [a, b = ''] = ids
    await server.delete(`/api/tags/${b}`)
    for (const tags of [[a, b], { connect: [b] }]) {
      const { status, body } = await server.put(`/api/posts/${post}`, { tags })
      expect([status, body.error.message]).to.deep.equal([
        400,
        `Document with id "${b}", locale "null" not found`,
      ])
    }
    expect(await shown()).to.deep.equal(GONE)
  })

  /** Imports a tag like a seed. */
  async function importTag(documentId: string, status: 'draft' | 'published'): Promise<void> {
    const database = await openDatabase({
      uri: server.uri,
      name: server.database,
      queryTimeoutMs: 10_000,
    })
    const context = {
      database,
      ids: openIdAllocator(database),
      now: () => new Date(),
      contentType: () => expect.fail('an import looks nothing up'),
      newDocumentId: () => expect.fail('an import brings its documentIds'),
      hashPassword: (password: string) => Promise.resolve(password),
    }
    const version = { locale: 'en', status, data: { name: 'b' } } as const
    await importDocuments(context, tagPlan(), [{ documentId, versions: [version] }])
    await database.close()
  }
})

/** The plan of the type tag, reduced to the needs of an import. */
function tagPlan(): ContentTypePlan {
  const { name } = TAG
  const { contentTypes } = compileSchema({
    contentTypes: [
      {
        uid: 'api::tag.tag',
        file: 'content-types/tag.json',
        kind: 'collectionType',
        collectionName: 'tag_versions',
        singularName: 'tag',
        pluralName: 'tags',
        displayName: 'tag',
        draftAndPublish: true,
        localized: true,
        attributes: { name },
      },
    ],
    components: [],
  })
  const plan = contentTypes.get('api::tag.tag')
  if (plan === undefined) throw new Error('tag was not compiled')
  return plan
}
