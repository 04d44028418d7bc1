import { expect } from 'chai'
import { importDocuments } from '../../../src/transfer/import/import-documents.ts'
import { documentIdFor } from '../../../src/mongo/versions/document-id.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { NO_LOCALE } from '../../../src/schema/no-locale.ts'
import { documentContext } from '../../../src/server/services/document-context.ts'
import { loadSchema } from '../../../src/server/services/load-schema.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const relation = (kind: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
})

const NODES = 10
/** More entries than the server reads completely to show a part of them (`WHOLE_READ`). */
const MANY = 1_200
const PAGE = 30
const MAX_ENTRIES = 1_150
const MAX_BYTES = 1_048_576

const CONTENT_TYPES = {
  // Every node links to all nodes, so each level has ten times the entries of the previous one.
  node: declare('node', { name: { type: 'string' }, links: relation('manyToMany', 'node') }),
  shelf: declare('shelf', {
    name: { type: 'string' },
    books: relation('oneToMany', 'book', { mappedBy: 'shelf' }),
  }),
  book: declare('book', {
    title: { type: 'string' },
    text: { type: 'text' },
    shelf: relation('manyToOne', 'shelf', { inversedBy: 'books' }),
  }),
}

const ids = (kind: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => documentIdFor(`${kind}:${n}`))

describe('limits of the response size', () => {
  let server: TestServer

  before(async () => {
    server = await serve('answer_bounds', {
      contentTypes: CONTENT_TYPES,
      environment: {
        API_MAX_ENTRIES: String(MAX_ENTRIES),
        API_DEFAULT_LIMIT: String(PAGE),
        API_MAX_BYTES: String(MAX_BYTES),
        QUERY_TIMEOUT_MS: '20000',
      },
      permitted: ['node', 'shelf', 'book'].flatMap((type) => [
        `api::${type}.${type}.find`,
        `api::${type}.${type}.findOne`,
      ]),
    })
    const { uri, database: name } = server
    const database = await openDatabase({ uri, name, queryTimeoutMs: 20_000 })
    const schema = await loadSchema(server.contentTypesDir)
    const context = documentContext(database, schema)
    const add = async (kind: string, rows: readonly Data[]): Promise<void> => {
      const plan = context.contentType(`api::${kind}.${kind}`)
      const documents = rows.map((data, n) => ({
        documentId: documentIdFor(`${kind}:${n}`),
        versions: [{ locale: NO_LOCALE, status: 'published' as const, data }],
      }))
      await importDocuments(context, plan, documents)
    }
    const links = ids('node', NODES)
    await add(
      'node',
      Array.from(links, (_, n) => ({ name: `node ${n}`, links })),
    )
    const [full = '', few = ''] = ids('shelf', 2)
    await add('shelf', [{ name: 'full' }, { name: 'few' }])
    await add(
      'book',
      Array.from({ length: MANY }, (_, n) => ({
        title: `book ${String(n).padStart(4, '0')}`,
        shelf: n % 100 === 0 ? few : full,
        text: n < 2 ? 'x'.repeat(600_000) : null,
      })),
    )
    await database.close()
  })

  after(() => server.close())

  const ask = (target: string): Promise<Json> => server.get(target, { token: null })

  it('counts an entry each time the response shows it', async () => {
    const two = await ask('/api/nodes?fields=name&populate[links][populate][links][fields]=name')
    expect(two.status, two.text).to.equal(200) // 100 + 1,000
    const three = await ask('/api/nodes?populate=links.links.links')
    expect(three.status).to.equal(400)
    expect(three.body.error).to.deep.include({ name: 'ValidationError' })
    expect(three.body.error.message)
      .to.include('links.links.links')
      .and.include(String(MAX_ENTRIES))
    expect(three.body.error.details).to.deep.include({
      path: 'links.links.links',
      limit: MAX_ENTRIES,
    })
  })

  it('responds with 400 to a populate that is too large, in every notation', async () => {
    const deep = Array.from({ length: 15 }, () => 'links').join('.')
    const nested = Array.from({ length: 10 }, () => '[populate][links]').join('')
    const targets = [
      `/api/nodes?populate=${deep}`,
      `/api/nodes?populate${nested.slice('[populate]'.length)}=true`,
      `/api/nodes/${documentIdFor('node:0')}?populate=${deep}`,
      '/api/nodes?populate[links][populate][links][populate][links]=ids',
      '/api/shelfs?populate[books][fields]=title',
      '/api/shelfs?populate[books][fields]=title&populate[books][populate]=shelf',
    ]
    for (const target of targets) {
      const { status, body } = await ask(target)
      expect(status, target).to.equal(400)
      expect(body.error.details.limit, target).to.equal(MAX_ENTRIES)
    }
  })

  it('shows a page of an inverse side of any length', async () => {
    const titles = async (options: string): Promise<readonly (readonly string[])[]> => {
      const { status, text, body } = await ask(
        `/api/shelfs?sort=name&populate[books][fields]=title&${options}`,
      )
      expect(status, text).to.equal(200)
      return body.data.map(({ books }: Json) => books.map(({ title }: Json) => title as string))
    }
    expect(await titles('populate[books][pagination][limit]=2')).to.deep.equal([
      ['book 0000', 'book 0100'],
      ['book 0001', 'book 0002'],
    ])
    expect(
      await titles('populate[books][pagination][limit]=2&populate[books][sort]=title:desc'),
    ).to.deep.equal([
      ['book 1100', 'book 1000'],
      ['book 1199', 'book 1198'],
    ])
    expect(
      await titles(
        'populate[books][pagination][page]=2&populate[books][pagination][pageSize]=1&populate[books][filters][title][$contains]=9',
      ),
    ).to.deep.equal([[], ['book 0019']])
  })

  it('counts all entries of an inverse side', async () => {
    const { body } = await ask('/api/shelfs?sort=name&populate[books][count]=true')
    expect(body.data.map(({ books }: Json) => books.count)).to.deep.equal([12, MANY - 12])
  })

  it('shows the first page of an inverse side below another relation', async () => {
    const target = `/api/books/${documentIdFor('book:7')}?fields=title&populate[shelf][populate][books][fields]=title`
    const { status, text, body } = await ask(target)
    expect(status, text).to.equal(200)
    expect(body.data.shelf.books).to.have.length(PAGE)
    expect(body.data.shelf.books[0].title).to.equal('book 0001')
    const next = await ask(
      `${target}&populate[shelf][populate][books][pagination][page]=2&populate[shelf][populate][books][pagination][pageSize]=${PAGE}`,
    )
    expect(next.body.data.shelf.books[0].title).to.equal('book 0031')
  })

  it('limits the response in bytes', async () => {
    const one = await ask('/api/books?sort=id&pagination[pageSize]=1')
    expect(one.status).to.equal(200)
    const two = await ask('/api/books?sort=id&pagination[pageSize]=2')
    expect(two.status).to.equal(400)
    expect(two.body.error.details.limit).to.equal(MAX_BYTES)
    const slim = await ask('/api/books?sort=id&pagination[pageSize]=2&fields=title')
    expect(slim.status).to.equal(200)
  })
})
