import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { compileSample } from '../../../tools/bench/src/sample/sample-parts.ts'
import { seedSample } from '../../../tools/bench/src/sample/seed-sample.ts'
import { SILENT_OBSERVER } from '../../../tools/bench/src/sample/show-progress.ts'
import { openLocales } from '../../../src/content/locales/locales.ts'
import { openGridFsStorage } from '../../../src/media/storage/gridfs-storage.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { loadSchema } from '../../../src/server/services/load-schema.ts'
import { testUri } from '../../support/test-database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../../support/database-proxy.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const SAMPLE = path.resolve('content-types')
const MANY = 30
const ATTEMPTS = 3

const relation = (kind: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target,
  ...more,
})

/** One of everything that can be populated. */
const EVERYTHING = {
  page: declare(
    'page',
    {
      cover: { type: 'media', multiple: false },
      gallery: { type: 'media', multiple: true },
      category: relation('manyToOne', 'api::category.category', { inversedBy: 'pages' }),
      tags: relation('manyToMany', 'api::tag.tag', { inversedBy: 'pages' }),
      badge: relation('oneToOne', 'api::tag.tag'),
      related: relation('oneToMany', 'api::page.page'),
      parent: relation('manyToOne', 'api::page.page', { inversedBy: 'children' }),
      children: relation('oneToMany', 'api::page.page', { mappedBy: 'parent' }),
      writer: relation('manyToOne', 'plugin::users-permissions.user'),
      seo: { type: 'component', component: 'shared.part' },
      links: { type: 'component', component: 'shared.part', repeatable: true },
      sections: { type: 'dynamiczone', components: ['shared.part', 'shared.other'] },
    },
    { draftAndPublish: true, localized: true },
  ),
  category: declare(
    'category',
    { pages: relation('oneToMany', 'api::page.page', { mappedBy: 'category' }) },
    { localized: true },
  ),
  tag: declare('tag', { pages: relation('manyToMany', 'api::page.page', { mappedBy: 'tags' }) }),
  'components/shared/part': {
    info: { displayName: 'part' },
    attributes: {
      tag: relation('oneToOne', 'api::tag.tag'),
      image: { type: 'media', multiple: false },
      inner: { type: 'component', component: 'shared.other' },
    },
  },
  'components/shared/other': {
    info: { displayName: 'other' },
    attributes: { tags: relation('oneToMany', 'api::tag.tag') },
  },
}

const DEEP = [
  'populate[category][populate]=pages',
  'populate[tags][populate][pages][populate]=tags',
  'populate[parent][populate]=children',
  'populate[related]=true',
  'populate[writer]=true',
  'populate[gallery]=true',
  'populate[seo][populate][inner][populate]=tags',
  'populate[links][populate]=*',
  'populate[sections][populate]=*',
  'populate[localizations][populate]=*',
].join('&')

/** Without the index of searches, which is written next to the commands that this test counts. */
function sampleWithoutSearch(): Readonly<Record<string, object>> {
  const files = readdirSync(SAMPLE, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.json') && !file.startsWith('queries'),
  )
  const types = files.map((file) => {
    const declared: Json = JSON.parse(readFileSync(path.join(SAMPLE, file), 'utf8'))
    const { search: _search, ...options } = declared.options ?? {}
    return [file.slice(0, -'.json'.length), { ...declared, options }] as const
  })
  return Object.fromEntries(types)
}

describe('commands of populate', () => {
  let proxy: DatabaseProxy

  before(async () => {
    proxy = await openDatabaseProxy(await testUri())
  })

  after(() => proxy.close())

  /** The commands of a list, without those that the server happens to send beside it. */
  async function cost(
    server: TestServer,
    target: string,
    size: number,
  ): Promise<readonly string[]> {
    const attempts: (readonly string[])[] = []
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      attempts.push(await costOnce(server, target, size))
    }
    return attempts.toSorted((one, other) => one.length - other.length)[0] ?? []
  }

  /** The list must have `size` entries. */
  async function costOnce(
    server: TestServer,
    target: string,
    size: number,
  ): Promise<readonly string[]> {
    await server.get('/api/i18n/locales') // refreshes the caches
    proxy.takeCommands()
    const { status, text, body } = await server.get(`${target}&pagination[pageSize]=${size}`)
    expect(status, text).to.equal(200)
    expect(body.data).to.have.length(size)
    return [...proxy.takeCommands()].sort()
  }

  describe('of the sample', () => {
    let server: TestServer

    before(async () => {
      server = await serve('populate_sample', {
        uri: proxy.uri,
        contentTypes: sampleWithoutSearch(),
        environment: { QUERY_TIMEOUT_MS: '20000' }, // this test counts commands and measures no time
      })
      const { uri, database: name } = server
      const database = await openDatabase({ uri, name, queryTimeoutMs: 10_000 })
      const [schema, locales] = [
        await loadSchema(server.contentTypesDir),
        await openLocales(database),
      ]
      const storage = openGridFsStorage(database)
      await seedSample({ schema, database, locales, storage }, compileSample(300), SILENT_OBSERVER)
      await database.close()
      const [article] = (await server.get('/api/articles?populate=*')).body.data
      const idsOf = (list: Json): readonly string[] =>
        list.map(({ documentId }: Json) => documentId as string)
      const data = {
        title: 'one of many',
        body: 'x',
        cover: article.cover.id,
        category: article.category.documentId,
        countries: idsOf(article.countries),
        seo: { metaTitle: 'x' },
        sections: [{ __component: 'shared.rich-text', body: 'x' }],
      }
      for (let made = 0; made < MANY; made += 10) {
        const some = Array.from({ length: 10 }, (_, index) =>
          server.post('/api/articles', { ...data, slug: `many-${made + index}` }),
        )
        for (const { status, text } of await Promise.all(some)) expect(status, text).to.equal(201)
      }
    })

    after(() => server.close())

    /** The first entries have everything that the others have. */
    const lists: readonly (readonly [string, string])[] = [
      ['articles', '/api/articles?populate=*&sort=id:desc'],
      ['countries', '/api/countries?populate=*&sort=area:desc'],
      ['cities', '/api/cities?populate=*'],
      ['languages', '/api/languages?populate=*'],
      ['currencies', '/api/currencies?populate=*'],
    ]
    for (const [label, target] of lists) {
      it(`runs as many commands for many ${label} as for one`, async () => {
        const one = await cost(server, target, 1)
        expect(one.filter((name) => name === 'find')).to.have.length.above(1)
        expect(await cost(server, target, MANY)).to.deep.equal(one)
      })
    }
  })

  describe('of a type with every kind of attribute', () => {
    let server: TestServer

    before(async () => {
      server = await serve('populate_everything', {
        uri: proxy.uri,
        contentTypes: EVERYTHING,
        locales: ['fr'],
        environment: { API_MAX_ENTRIES: '100000' },
      })
      const body = multipart({ files: [{ name: 'a.txt', content: 'a' }] })
      const [file] = (await server.send('POST', '/api/upload', { headers: MULTIPART, body })).body
      const user = { username: 'ann', email: 'ann@example.org', password: 'secret of ann' }
      const registered = await server.send('POST', '/api/auth/local/register', { body: user })
      const idOf = ({ status, text, body }: Json): string => {
        expect(status, text).to.equal(201)
        return body.data.documentId
      }
      const tags = [
        idOf(await server.post('/api/tags', {})),
        idOf(await server.post('/api/tags', {})),
      ]
      const category = idOf(await server.post('/api/categorys', {}))
      const parent = idOf(await server.post('/api/pages', {}))
      const part = { tag: tags[0], image: file.id, inner: { tags } }
      const data = {
        cover: file.id,
        gallery: [file.id],
        category,
        tags,
        badge: tags[1],
        related: [parent],
        parent,
        writer: registered.body.user.documentId,
        seo: part,
        links: [part, part],
        sections: [
          { __component: 'shared.part', ...part },
          { __component: 'shared.other', tags },
        ],
      }
      for (let made = 0; made < MANY; made += 10) {
        await Promise.all(
          Array.from({ length: 10 }, async () => {
            const documentId = idOf(await server.post('/api/pages', data))
            const french = await server.put(`/api/pages/${documentId}?locale=fr`, data)
            expect(french.status, french.text).to.equal(200)
          }),
        )
      }
    })

    after(() => server.close())

    /**
     * The number is the smallest one with entries in every locale, because each locale has its own
     * query.
     */
    const queries: readonly (readonly [string, string, number])[] = [
      ['everything', 'populate=*', 1],
      ['everything of drafts', 'populate=*&status=draft', 1],
      ['everything of two locales', 'populate=*&locale=*', 20],
      ['several levels', DEEP, 1],
    ]
    for (const [label, query, few] of queries) {
      it(`runs as many commands for many entries as for ${few}: ${label}`, async () => {
        const target = `/api/pages?sort=id:desc&${query}`
        const one = await cost(server, target, few)
        expect(one.filter((name) => name !== 'aggregate')).to.have.length.above(5)
        expect(await cost(server, target, MANY)).to.deep.equal(one)
      })
    }
  })
})
