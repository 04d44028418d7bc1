import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

/** The types of a release. Each attribute has the name of its release. */
function typesOf(isNew: boolean, more: object = {}) {
  const name = (older: string, newer: string, attribute: object) =>
    isNew ? { [newer]: { ...attribute, from: older } } : { [older]: attribute }
  const [works, author] = isNew ? ['books', 'writer'] : ['works', 'author']
  return {
    book: declare(
      'book',
      {
        ...name('name', 'title', { type: 'string', unique: true, index: true, ...LOCALIZED }),
        rank: { type: 'integer', ...LOCALIZED },
        ...name('author', 'writer', {
          type: 'relation',
          relation: 'manyToOne',
          target: 'api::person.person',
          inversedBy: works,
        }),
        ...name('parts', 'chapters', {
          type: 'component',
          component: 'shared.part',
          repeatable: true,
          ...LOCALIZED,
        }),
        ...more,
      },
      { draftAndPublish: true, localized: true },
    ),
    person: declare('person', {
      ...name('alias', 'pen', { type: 'string' }),
      ...name('works', 'books', {
        type: 'relation',
        relation: 'oneToMany',
        target: 'api::book.book',
        mappedBy: author,
      }),
    }),
    'components/shared/part': {
      attributes: name('heading', 'caption', { type: 'string' }),
    },
  }
}

/** The result in the names of the old release. */
const OLDER: Readonly<Record<string, string>> = {
  title: 'name',
  writer: 'author',
  chapters: 'parts',
  pen: 'alias',
  books: 'works',
  caption: 'heading',
}

function inOldNames(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOldNames)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [OLDER[name] ?? name, inOldNames(inner)]),
  )
}

describe('a renamed attribute', () => {
  const opened: TestServer[] = []
  let older: TestServer
  let newer: TestServer
  let client: MongoClient
  let books: readonly string[]

  before(async () => {
    older = await open(typesOf(false))
    const person = await ok(older.post('/api/persons', { alias: 'Ada' }))
    const made: string[] = []
    for (const [index, name] of ['b', 'a', 'c'].entries()) {
      const data = {
        name,
        rank: index,
        author: person.documentId,
        parts: [{ heading: `of ${name}` }],
      }
      made.push((await ok(older.post('/api/books?status=published', data))).documentId)
    }
    books = made
    newer = await open(typesOf(true))
    client = await MongoClient.connect(older.uri)
  })

  after(async () => {
    await client.db(older.database).dropDatabase()
    await client.close()
    for (const server of opened.toReversed()) await server.close()
  })

  async function open(contentTypes: Readonly<Record<string, object>>): Promise<TestServer> {
    const [first] = opened
    const server = await serve('renamed', {
      contentTypes,
      locales: first === undefined ? ['fr'] : [],
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

  async function expectSame(query: string, renamed: string): Promise<Json> {
    const before = await ok(older.get(`/api/books?${query}`))
    const after = await ok(newer.get(`/api/books?${renamed}`))
    expect(inOldNames(after)).to.deep.equal(before)
    return after
  }

  it('is listed, filtered and sorted by both releases', async () => {
    expect(await expectSame('sort=name', 'sort=title')).to.have.lengthOf(3)
    expect(await expectSame('filters[name][$gt]=a', 'filters[title][$gt]=a')).to.have.lengthOf(2)
    await expectSame('fields=name&sort=name:desc', 'fields=title&sort=title:desc')
    await expectSame('_q=c', '_q=c')
  })

  it('is filtered and sorted through relations and components', async () => {
    const filtered = await expectSame(
      'filters[parts][heading]=of%20a',
      'filters[chapters][caption]=of%20a',
    )
    expect(filtered).to.have.lengthOf(1)
    const related = await expectSame('filters[author][alias]=Ada', 'filters[writer][pen]=Ada')
    expect(related).to.have.lengthOf(3)
    await expectSame('sort=author.alias,name', 'sort=writer.pen,title')
  })

  it('is populated on both sides of a relation', async () => {
    const shown = await expectSame(
      'populate[author][populate][works][sort]=name&populate[parts]=true',
      'populate[writer][populate][books][sort]=title&populate[chapters]=true',
    )
    expect(shown[0].writer.books.map(({ title }: Json) => title)).to.deep.equal(['a', 'b', 'c'])
    await expectSame(
      'populate[parts][filters][heading]=of%20a',
      'populate[chapters][filters][caption]=of%20a',
    )
  })

  it('continues a cursor of the other release', async () => {
    const { body } = await older.get(
      '/api/books?sort=name&pagination[cursor]=&pagination[pageSize]=2',
    )
    const cursor = encodeURIComponent(body.meta.pagination.nextCursor)
    const next = await ok(
      newer.get(`/api/books?sort=title&pagination[cursor]=${cursor}&pagination[pageSize]=2`),
    )
    expect(next.map(({ title }: Json) => title)).to.deep.equal(['c'])
  })

  it('is written by both releases', async () => {
    const [id = ''] = books
    await ok(newer.put(`/api/books/${id}?status=published`, { title: 'n' }))
    expect(await ok(older.get(`/api/books/${id}`))).to.include({ name: 'n', rank: 0 })
    await ok(older.put(`/api/books/${id}?status=published`, { name: 'b' }))
    expect(await ok(newer.get(`/api/books/${id}`))).to.include({ title: 'b', rank: 0 })
  })

  it('keeps its values unique for both releases', async () => {
    for (const [server, data] of [
      [older, { name: 'c' }],
      [newer, { title: 'c' }],
    ] as const) {
      const { status, body } = await server.post('/api/books?status=published', data)
      expect(status).to.equal(400)
      expect(body.error.details.errors[0].path).to.deep.equal(Object.keys(data))
    }
  })

  it('moves no data and keeps its indexes', async () => {
    const database = client.db(older.database)
    const [row] = await database.collection('book_versions').find({}).toArray()
    expect(row).to.include.keys('name', 'author', 'parts')
    expect(row).to.not.have.any.keys('title', 'writer', 'chapters')
    const names = (await database.collection('book_versions').indexes()).map(({ name }) => name)
    expect(names).to.include('quire_unique_name')
    expect(newer.takeLog().filter(({ msg }: Json) => /index/i.test(msg))).to.deep.equal([])
  })

  it('brings its history and its trash with it', async () => {
    const made = await ok(older.post('/api/books', { name: 'h', parts: [{ heading: 'x' }] }))
    await ok(older.put(`/api/books/${made.documentId}`, { name: 'i' }))
    const target = `/admin/history/api::book.book/${made.documentId}`
    const first = (await ok(newer.get(`${target}?locale=en`))).at(-1)
    const { body } = await newer.get(`${target}/${first.revision}?locale=en`)
    expect(JSON.stringify(body)).to.include('"title":"h"').and.include('"caption":"x"')
    await older.delete(`/api/books/${made.documentId}`)
    const restored = await newer.send(
      'POST',
      `/admin/trash/api::book.book/${made.documentId}/restore`,
      {
        body: {},
      },
    )
    expect(restored.status, restored.text).to.be.oneOf([200, 201])
    const found = await ok(
      newer.get(`/api/books/${made.documentId}?status=draft&populate=chapters`),
    )
    expect(found).to.include({ title: 'i' })
    expect(found.chapters[0]).to.include({ caption: 'x' })
    await newer.delete(`/api/books/${made.documentId}`)
  })

  it('is synced under the name of each release', async () => {
    for (const [server, name] of [
      [older, 'name'],
      [newer, 'title'],
    ] as const) {
      await server.settled()
      const { body, text } = await server.get('/api/_sync?types=book')
      const values = body.items.map(({ data }: Json) => data?.[name])
      expect(values, text).to.have.members(['a', 'b', 'c'])
    }
  })

  it('leaves its name to a new attribute, which gets another place', async () => {
    const third = await open(typesOf(true, { name: { type: 'string' } }))
    const [id = ''] = books
    await ok(third.put(`/api/books/${id}?status=published`, { name: 'own' }))
    expect(await ok(third.get(`/api/books/${id}`))).to.include({ title: 'b', name: 'own' })
    expect(await ok(newer.get(`/api/books/${id}`))).to.include({ title: 'b' })
    expect(await ok(older.get(`/api/books/${id}`))).to.include({ name: 'b' })
    const row = await client
      .db(older.database)
      .collection('book_versions')
      .findOne({ documentId: id })
    expect(row).to.include({ name: 'b', 'name~2': 'own' })
  })

  it('is right after a roll-back to the release before', async () => {
    const back = await open(typesOf(false))
    const found = await ok(back.get('/api/books?sort=name'))
    expect(found.map(({ name }: Json) => name)).to.deep.equal(['a', 'b', 'c'])
    const [id = ''] = books
    await ok(back.put(`/api/books/${id}?status=published`, { rank: 7 }))
    const row = await client
      .db(older.database)
      .collection('book_versions')
      .findOne({ documentId: id })
    expect(row).to.include({ name: 'b', 'name~2': 'own', rank: 7 })
  })

  it('costs one write to the ledger', async () => {
    const rows = client.db(older.database).collection('quire_schema')
    await open(typesOf(true, { name: { type: 'string' } }))
    const [before] = await rows.find({}).toArray()
    await open(typesOf(true, { name: { type: 'string' } }))
    expect((await rows.find({}).toArray())[0]).to.deep.equal(before)
    await open(typesOf(true, { label: { type: 'string', from: 'name' } }))
    const [after] = await rows.find({}).toArray()
    expect(after?.['version']).to.equal(before?.['version'] + 1)
  })
})
