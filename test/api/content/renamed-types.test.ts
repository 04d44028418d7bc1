import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import type { CommittedChange } from '../../../src/extensions/commit-follower.ts'
import type { Extension } from '../../../src/extensions/extension.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

/** The older release has articles with parts, the newer one posts with sections. */
function typesOf(isNew: boolean, more: object = {}) {
  const [type, part] = isNew ? ['post', 'shared.section'] : ['article', 'shared.part']
  const older = (name: string) => (isNew ? { from: name } : {})
  return {
    [type]: {
      ...older('article'),
      ...declare(
        type,
        {
          title: { type: 'string', unique: true },
          author: {
            type: 'relation',
            relation: 'manyToOne',
            target: 'api::person.person',
            inversedBy: 'works',
          },
          next: { type: 'relation', relation: 'oneToOne', target: `api::${type}.${type}` },
          body: { type: 'dynamiczone', components: [part, 'shared.quote'] },
        },
        { draftAndPublish: true },
      ),
    },
    person: declare('person', {
      name: { type: 'string' },
      works: {
        type: 'relation',
        relation: 'oneToMany',
        target: `api::${type}.${type}`,
        mappedBy: 'author',
      },
    }),
    [`components/${part.replace('.', '/')}`]: {
      ...older('shared.part'),
      attributes: { heading: { type: 'string', unique: true }, pin: { type: 'password' } },
    },
    'components/shared/quote': { attributes: { text: { type: 'string' } } },
    ...more,
  }
}

/** The result as the older release shows it: without computed attributes. */
function inOldNames(value: Json): Json {
  return JSON.parse(
    JSON.stringify(value).replaceAll('shared.section', 'shared.part'),
    (name, one) => (name === 'loud' ? undefined : one),
  )
}

const POPULATED = 'populate[author]=true&populate[next]=true&populate[body]=true&sort=title'

describe('a renamed content-type', () => {
  const opened: TestServer[] = []
  const committed: { type: string; changes: readonly CommittedChange[] }[] = []
  const written: string[] = []
  let older: TestServer
  let newer: TestServer
  let client: MongoClient
  let person: Json

  const extension: Extension = {
    name: 'watcher',
    contentTypes: {
      'api::post.post': {
        beforeWrite: ({ contentType }) => {
          written.push(contentType)
        },
        afterCommit: ({ contentType, changes }) => {
          committed.push({ type: contentType, changes })
        },
        computed: {
          loud: {
            type: 'string',
            version: 1,
            from: ['title'],
            value: ({ title }) => String(title).toUpperCase(),
          },
        },
      },
    },
  }

  before(async () => {
    older = await open(typesOf(false))
    person = await ok(older.post('/api/persons', { name: 'Ada' }))
    const first = await ok(older.post('/api/articles?status=published', dataOf('shared.part', 'a')))
    await ok(
      older.post('/api/articles?status=published', {
        ...dataOf('shared.part', 'b'),
        next: first.documentId,
      }),
    )
    newer = await open(typesOf(true), [extension])
    client = await MongoClient.connect(older.uri)
  })

  after(async () => {
    await client.db(older.database).dropDatabase()
    await client.close()
    for (const server of opened.toReversed()) await server.close()
  })

  function dataOf(component: string, title: string) {
    const author = person.documentId
    const body = [{ __component: component, heading: `of ${title}`, pin: '1234' }]
    return { title, author, body }
  }

  async function open(
    contentTypes: Readonly<Record<string, object>>,
    extensions: readonly Extension[] = [],
  ): Promise<TestServer> {
    const [first] = opened
    const server = await serve('renamedtypes', {
      contentTypes,
      extensions,
      environment: {
        RATE_LIMIT: 'off',
        ...(first !== undefined && { MONGODB_DATABASE: first.database }),
      },
    })
    opened.push(server)
    return server
  }

  async function ok(answer: ReturnType<TestServer['get']>): Promise<Json> {
    const { status, body, text } = await answer
    expect(status, text).to.be.oneOf([200, 201])
    return body.data
  }

  it('has its entries, relations and components in both releases', async () => {
    const before = await ok(older.get(`/api/articles?${POPULATED}`))
    const after = await ok(newer.get(`/api/posts?${POPULATED}`))
    expect(after[1].next.title).to.equal('a')
    expect(after[0].body[0]).to.include({ __component: 'shared.section', heading: 'of a' })
    expect(inOldNames(after)).to.deep.equal(before)
    expect((await older.get('/api/posts')).status).to.equal(404)
    expect((await newer.get('/api/articles')).status).to.equal(404)
    const [found] = await ok(newer.get('/api/persons?populate[works][sort]=title'))
    expect(found.works.map(({ title }: Json) => title)).to.deep.equal(['a', 'b'])
  })

  it('is written by both releases', async () => {
    const made = await ok(newer.post('/api/posts?status=published', dataOf('shared.section', 'c')))
    const target = `${made.documentId}?populate[body]=true`
    const inOlder = await ok(older.get(`/api/articles/${target}`))
    expect(inOlder.body[0]).to.include({ __component: 'shared.part', heading: 'of c' })
    await ok(
      older.put(`/api/articles/${made.documentId}?status=published`, dataOf('shared.part', 'd')),
    )
    const inNewer = await ok(newer.get(`/api/posts/${target}`))
    expect(inNewer.body[0]).to.include({ __component: 'shared.section', heading: 'of d' })
    await ok(newer.put(`/api/posts/${made.documentId}`, { author: null }))
  })

  it('keeps values in renamed components unique for both releases', async () => {
    for (const [server, address, component] of [
      [older, 'articles', 'shared.part'],
      [newer, 'posts', 'shared.section'],
    ] as const) {
      const data = { ...dataOf(component, 'a'), title: `unique ${address}` }
      const { status, text } = await server.post(`/api/${address}?status=published`, data)
      expect(status, text).to.equal(400)
      expect(text).to.include('must be unique')
    }
  })

  it('keeps passwords in renamed components out of the history', async () => {
    const rows = await client
      .db(older.database)
      .collection<{ _id: string }>('quire_commits')
      .find({ _id: /^h:/ })
      .toArray()
    expect(JSON.stringify(rows)).to.include('shared.part').and.not.include('$2')
  })

  it('calls hooks and computed attributes under the declared name', async () => {
    written.length = 0
    const made = await ok(newer.post('/api/posts?status=published', { title: 'hooked' }))
    expect(made.loud).to.equal('HOOKED')
    expect(written).to.include('api::post.post').and.not.include('api::article.article')
    await until(() => committed.some(({ changes }) => changes.length > 0), 10_000)
    const types = committed.flatMap(({ type, changes }) => [
      type,
      ...changes.map(({ contentType }) => contentType),
    ])
    expect(new Set(types)).to.deep.equal(new Set(['api::post.post']))
  })

  it('brings its permissions with it', async () => {
    const permissions = ['api::article.article.find']
    const { status, text } = await older.send('PUT', '/admin/roles/public', {
      body: { permissions },
    })
    expect(status, text).to.equal(200)
    await until(async () => (await newer.get('/api/posts', { token: null })).status === 200, 10_000)
  })

  it('brings its history and its trash with it', async () => {
    const made = await ok(older.post('/api/articles', { title: 'h' }))
    await ok(older.put(`/api/articles/${made.documentId}`, { title: 'i' }))
    const target = `/admin/history/api::article.article/${made.documentId}`
    expect(await ok(newer.get(target))).to.have.lengthOf.at.least(2)
    await older.delete(`/api/articles/${made.documentId}`)
    const restored = await newer.send(
      'POST',
      `/admin/trash/api::article.article/${made.documentId}/restore`,
      { body: {} },
    )
    expect(restored.status, restored.text).to.be.oneOf([200, 201])
    const found = await ok(newer.get(`/api/posts/${made.documentId}?status=draft`))
    expect(found).to.include({ title: 'i' })
    await newer.delete(`/api/posts/${made.documentId}`)
  })

  it('is synced under the name of each release', async () => {
    for (const [server, type] of [
      [older, 'article'],
      [newer, 'post'],
    ] as const) {
      await server.settled()
      const { body, text } = await server.get(`/api/_sync?types=${type}`)
      expect(
        body.items.map(({ data }: Json) => data?.title),
        text,
      ).to.include.members(['a', 'b'])
    }
  })

  it('moves no data and builds no index', async () => {
    const database = client.db(older.database)
    const names = (await database.listCollections().toArray()).map(({ name }) => name)
    expect(names).to.include('article_versions').and.not.include('post_versions')
    expect(newer.takeLog().filter(({ msg }: Json) => /index/i.test(msg))).to.deep.equal([])
  })

  it('leaves its name to a new type, which gets a collection of its own', async () => {
    const article = declare('article', { title: { type: 'string' } })
    const third = await open(typesOf(true, { article }))
    await ok(third.post('/api/articles', { title: 'own' }))
    expect(await ok(third.get('/api/articles'))).to.have.lengthOf(1)
    expect((await ok(third.get('/api/posts?sort=title')))[0].title).to.equal('a')
    expect(
      await client.db(older.database).collection('article_versions~2').countDocuments(),
    ).to.equal(1)
  })

  it('is right after a roll-back to the release before', async () => {
    const back = await open(typesOf(false))
    const found = await ok(back.get(`/api/articles?${POPULATED}`))
    expect(found[0]).to.include({ title: 'a' })
    expect(found[0].body[0]).to.include({ __component: 'shared.part' })
  })
})
