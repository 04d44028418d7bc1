import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { type ContentType, createClient, type QuireError } from '@quire/client'
import { createStore, memoryStorage, sqliteStorage, type StoreStorage } from '@quire/client/sync'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { loadSchema } from '../../../src/server/services/load-schema.ts'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { behindCache } from '../../support/kept-first-page.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'
import { until } from '../../support/until.ts'
import { contentPlanOf } from '../../../tools/simulate/src/models/content-plan-of.ts'
import { QuotaExceededError } from './faulty-process.ts'
import { openDirectFile, openSqliteFile } from './sqlite-database.ts'

const localized = { pluginOptions: { i18n: { localized: true } } }

const CONTENT_TYPES = {
  'components/shared/part': {
    attributes: {
      text: { type: 'string' },
      tag: { type: 'relation', relation: 'oneToOne', target: 'api::tag.tag' },
    },
  },
  'components/shared/note': { attributes: { body: { type: 'text' } } },
  article: declare(
    'article',
    {
      title: { type: 'string', ...localized },
      views: { type: 'integer' },
      big: { type: 'biginteger' },
      price: { type: 'decimal' },
      isNew: { type: 'boolean' },
      day: { type: 'date' },
      at: { type: 'datetime' },
      extra: { type: 'json' },
      place: { type: 'location' },
      cover: { type: 'media' },
      category: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::tag.tag',
        inversedBy: 'filed',
      },
      tags: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::tag.tag',
        inversedBy: 'articles',
      },
      seo: { type: 'component', component: 'shared.part' },
      parts: { type: 'component', component: 'shared.part', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shared.part', 'shared.note'] },
    },
    { draftAndPublish: true, localized: true },
  ),
  tag: declare('tag', {
    name: { type: 'string' },
    articles: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'api::article.article',
      mappedBy: 'tags',
    },
    filed: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::article.article',
      mappedBy: 'category',
    },
  }),
  homepage: declare('homepage', { title: { type: 'string' } }, { kind: 'singleType' }),
}

/** Loosely typed. client-types.test.ts checks the exact types. */
type Loose<Kind extends 'collection' | 'single' = 'collection'> = ContentType & {
  readonly kind: Kind
  readonly fields: { id: number; documentId: string; title: string; name: string }
  readonly filters: Record<string, unknown>
  readonly populate: Record<'tags' | 'cover' | 'category' | 'articles', { readonly many: Loose }>
}
interface Types {
  readonly locales: string
  readonly types: {
    readonly articles: Loose
    readonly tags: Loose
    readonly homepage: Loose<'single'>
  }
  readonly files: Loose
}
const KINDS = { articles: 'collection', tags: 'collection', homepage: 'single' } as const
const EVERYTHING = ['articles', 'tags', 'homepage', '$files'] as const

const FILE_TEXTS = { alternativeText: 'A letter', caption: 'Own' }
const FILE_TRANSLATIONS = { en: { caption: 'English' }, de: { alternativeText: 'Ein Brief' } }

const BERLIN = { latitude: 52.52, longitude: 13.405 }

/** Queries with equal results from a list of the server and from a store. */
const QUERIES: readonly Json[] = [
  {},
  { sort: 'title' },
  { sort: ['views:desc', 'title'] },
  { sort: 'big' },
  { sort: 'big:desc', pageSize: 3, page: 2 },
  { sort: 'price:desc' },
  { sort: 'at' },
  { sort: 'day:desc' },
  { sort: 'isNew' },
  { sort: 'category.name:desc' },
  { sort: 'seo.text' },
  { sort: 'tags.name' },
  { sort: ['tags.name:desc', 'title'] },
  { sort: 'parts.text:desc' },
  { filters: { views: { $not: { $gt: 10 } } } },
  { filters: { views: 10 } },
  { filters: { views: { $ne: 10 } } },
  { filters: { views: { $gt: 10, $lte: 30 } } },
  { filters: { views: { $in: [10, 30, 999] } } },
  { filters: { views: { $notIn: [10, 30] } } },
  { filters: { views: { $null: true } } },
  { filters: { views: { $notNull: true } } },
  { filters: { views: { $between: [10, 20] } } },
  { filters: { views: null } },
  { filters: { big: { $gt: '9007199254740993' } } },
  { filters: { price: { $lt: 2.5 } } },
  { filters: { isNew: true } },
  { filters: { day: { $gte: '2024-02-01' } } },
  { filters: { at: { $lt: '2024-01-02T00:00:00.000Z' } } },
  { filters: { at: { $gt: new Date('2024-01-01T12:00:00Z') } } },
  { filters: { place: { $notNull: true } } },
  { filters: { place: { $near: BERLIN } } },
  { filters: { place: { $near: { ...BERLIN, maxDistance: 600_000 } } } },
  { filters: { $not: { place: { $near: { ...BERLIN, maxDistance: 600_000 } } } } },
  { filters: { place: { $near: { ...BERLIN, maxDistance: 30_000_000 } } } },
  { filters: { place: { $near: BERLIN } }, sort: 'place:near' },
  { filters: { $and: [{ place: { $near: BERLIN } }] }, sort: ['place:near'], pageSize: 1, page: 2 },
  { filters: { place: { $within: { circle: { ...BERLIN, radius: 1 } } } } },
  {
    filters: { place: { $within: { circle: { latitude: -18, longitude: -179, radius: 5e5 } } } },
  },
  { filters: { place: { $within: { circle: { latitude: 89, longitude: 0, radius: 5e6 } } } } },
  { filters: { place: { $within: { box: { south: 40, west: 10, north: 60, east: 20 } } } } },
  { filters: { place: { $within: { box: { south: -30, west: 170, north: 0, east: -170 } } } } },
  {
    filters: {
      place: {
        $within: {
          polygon: [
            { latitude: 40, longitude: 0 },
            { latitude: 40, longitude: 20 },
            { latitude: 60, longitude: 20 },
          ],
        },
      },
    },
  },
  { filters: { title: { $eqi: 'ÄRGER' } } },
  { filters: { title: { $nei: 'ärger' } } },
  { filters: { title: { $contains: 'a' } } },
  { filters: { title: { $notContains: 'a' } } },
  { filters: { title: { $containsi: 'straße' } } },
  { filters: { title: { $notContainsi: 'A' } } },
  { filters: { title: { $startsWith: 'a.b' } } },
  { filters: { title: { $startsWithi: 'A.B' } } },
  { filters: { title: { $endsWith: '*' } } },
  { filters: { title: { $endsWithi: 'É' } } },
  { filters: { title: { $lt: 'b' } } },
  { filters: { $or: [{ views: 10 }, { title: { $contains: 'Ä' } }] } },
  { filters: { $and: [{ views: { $gt: 5 } }, { isNew: { $ne: true } }] } },
  { filters: { $not: { views: { $gt: 15 } } } },
  { filters: { tags: { name: 'red' } } },
  { filters: { tags: { name: { $ne: 'red' } } } },
  { filters: { $not: { tags: { name: 'red' } } } },
  { filters: { tags: { name: { $startsWith: 'r' }, articles: { views: 20 } } } },
  { filters: { category: { name: { $contains: 'l' } } } },
  { filters: { category: { documentId: { $notNull: true } } } },
  { filters: { parts: { text: 'one' } } },
  { filters: { parts: { tag: { name: 'blue' } } } },
  { filters: { seo: { text: { $null: true } } } },
  { filters: { cover: { name: { $contains: 'a' } } } },
  { filters: { localizations: { title: { $notNull: true } } } },
  { fields: ['title'], sort: 'title' },
  { fields: ['title'], populate: ['tags', 'category', 'cover'] },
  { populate: '*' },
  { populate: { tags: { fields: ['name'], sort: 'name:desc' } } },
  { populate: { tags: { filters: { name: { $contains: 'e' } } } } },
  { populate: { tags: { populate: { articles: { fields: ['title'], sort: 'title' } } } } },
  { populate: { parts: { populate: { tag: true } } } },
  { populate: { seo: { fields: ['text'] } } },
  { populate: { zone: { on: { 'shared.note': true } } } },
  { populate: { zone: { on: { 'shared.part': { populate: ['tag'] } } } } },
  { populate: { localizations: { fields: ['title'] } } },
  { populate: { cover: { fields: ['url', 'thumbhash'] } } },
]

describe('@quire/client/sync', () => {
  let server: TestServer
  let mongo: MongoClient
  let folder: string
  let content: ReturnType<typeof contentPlanOf<Types>>
  const ids: Record<string, string> = {}
  before(async () => {
    server = await serve('store', { contentTypes: CONTENT_TYPES, locales: ['de'] })
    mongo = await MongoClient.connect(server.uri)
    folder = mkdtempSync(path.join(tmpdir(), 'quire-store-'))
    content = contentPlanOf<Types>(await loadSchema(server.contentTypesDir))
    await fill()
  })
  after(async () => {
    await mongo.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const client = (options: object = {}) =>
    createClient<Types>(KINDS, {
      url: `http://127.0.0.1:${server.port}`,
      token: ROOT_TOKEN,
      retries: 0,
      ...options,
    })

  const open = (storage: StoreStorage = memoryStorage(), options: object = {}) =>
    createStore({
      content,
      client: client(options),
      types: EVERYTHING,
      locale: ['en', 'de'],
      storage,
      limit: 3,
      pauseMs: 1,
    })

  /** Waits until all commits are numbered. */
  const settled = (): Promise<void> => server.settled()

  const create = async (name: string, data: object, query = ''): Promise<string> => {
    const { status, body, text } = await server.post(`/api/${name}${query}`, data)
    expect(status, text).to.equal(201)
    return body.data.documentId
  }

  async function fill(): Promise<void> {
    for (const name of ['red', 'blue', 'green', 'reed']) ids[name] = await create('tags', { name })
    const { red, blue, green, reed } = ids
    const file = await server.send('POST', '/api/upload', {
      body: multipart({
        files: [{ name: 'a.txt', content: 'a' }],
        fields: { fileInfo: { ...FILE_TEXTS, translations: FILE_TRANSLATIONS } },
      }),
      headers: MULTIPART,
    })
    const rows: readonly Json[] = [
      {
        title: 'apple',
        views: 10,
        big: '9007199254740993',
        price: 1.25,
        tags: [red, blue],
        place: BERLIN,
      },
      {
        title: 'Ärger',
        views: 20,
        big: '9007199254740995',
        isNew: true,
        category: blue,
        place: { latitude: -18.14, longitude: 178.44 },
      },
      {
        title: 'Straße',
        views: 30,
        price: 10,
        day: '2024-02-01',
        tags: [reed, green, red],
        place: { latitude: 48.21, longitude: 16.37 },
      },
      { title: 'a.b*', views: null, at: '2024-01-01T10:00:00.000Z', cover: file.body[0].id },
      { title: 'caf\u{e9}', views: 10, at: '2024-01-02T10:00:00.000Z', category: green },
      { title: '\u{1f600} smile', big: '-5', isNew: false, day: '2023-12-31', extra: { a: [1] } },
      { title: '\u{ff21} wide', views: -1, seo: { text: 'top', tag: red } },
      { title: null, parts: [{ text: 'one' }, { text: 'two', tag: blue }] },
      {
        title: 'zone',
        zone: [
          { __component: 'shared.note', body: 'n' },
          { __component: 'shared.part', text: 'p', tag: green },
        ],
      },
    ]
    for (const row of rows) {
      ids[String(row.title)] = await create('articles', row)
    }
    await server.put(`/api/articles/${ids['apple']}?locale=de`, { title: 'Apfel', tags: [green] })
    await server.put(`/api/articles/${ids['a.b*']}?locale=de`, { title: 'Mit Datei' })
    await server.put('/api/homepage', { title: 'Home' })
    await settled()
  }

  describe('queries of rows in memory', () => testQueries(memoryStorage))
  describe('queries of rows in SQLite', () =>
    testQueries(() => {
      const database = openDirectFile(':memory:')
      return sqliteStorage(database, () => Promise.resolve(database.close()))
    }))

  function testQueries(makeStorage: () => StoreStorage): void {
    let store: Awaited<ReturnType<typeof open>>
    before(async () => {
      store = await open(makeStorage())
      await store.$sync()
    })
    after(() => store.$close())

    for (const query of QUERIES) {
      it(`returns the same as the server for ${JSON.stringify(query)}`, async () => {
        const own = query as object
        const asked = { pageSize: 100, ...own, sort: (query.sort ?? 'id') as 'id' }
        const told = await client().articles.find(asked)
        const held = store.articles.query(asked)
        expect(held).to.deep.equal({ ...told, pageCount: held.total === 0 ? 0 : told.pageCount })
      })
    }

    it('returns the same as the server in another locale, of another type, by id and of a single type', async () => {
      const populate = { articles: { fields: ['title'], sort: 'id' } } as const
      const { entries } = await client().tags.find({ populate, sort: 'id', locale: 'de' })
      expect(store.tags.query({ populate, sort: 'id', locale: 'de' }).entries).to.deep.equal(
        entries,
      )
      const apple = ids['apple'] ?? ''
      expect(store.articles.get(apple, { locale: 'de' })).to.deep.equal(
        await client().articles.get(apple, { locale: 'de' }),
      )
      expect(store.articles.get('nowhere')).to.equal(null)
      expect(store.homepage.get()).to.deep.equal(await client().homepage.get())
      expect(store.articles.query({ locale: '*', filters: { documentId: apple } }).total).to.equal(
        2,
      )
    })

    it('returns the same as the server for a filter on locale, which replaces the default locale', async () => {
      const filters = [
        { locale: 'de' },
        { $or: [{ locale: { $in: ['de', 'en'] } }, { title: 'none' }] },
        { $not: { locale: 'en' } },
        { locale: 'xx' },
      ] as const
      const totals: number[] = []
      for (const one of filters) {
        const asked = { filters: one, sort: 'id', fields: ['title', 'locale'] } as never
        const { entries } = await client().articles.find(asked)
        expect(store.articles.query(asked).entries, JSON.stringify(one)).to.deep.equal(entries)
        totals.push(entries.length)
      }
      expect(totals.map((total) => total > 0)).to.deep.equal([true, true, true, false])
    })

    it('returns the same texts of files as the server in each locale, and all of them for $files', async () => {
      const texts: unknown[] = []
      for (const query of [
        { locale: 'de', populate: ['cover'] },
        { locale: 'de', populate: { cover: { fields: ['alternativeText', 'caption'] } } },
        { locale: 'en', populate: { cover: { fields: ['caption'] } } },
        { locale: '*', populate: { localizations: { populate: ['cover'] }, cover: true } },
        { filters: { cover: { caption: 'Own' } }, populate: ['cover'] },
      ] as Json[]) {
        const asked = { ...query, pageSize: 100, sort: 'id' }
        const told = await client().articles.find(asked)
        expect(store.articles.query(asked).entries).to.deep.equal(told.entries)
        for (const { cover } of told.entries as Json[]) if (cover) texts.push(cover.caption)
      }
      expect(texts).to.deep.equal(['Own', 'Own', 'English', 'English', 'Own', 'English'])
      const { entries: files } = store.$files.query()
      const { body } = await server.get('/api/upload/files')
      const [{ isUrlSigned: _signed, ...file }] = body
      expect(files).to.deep.equal([file])
      expect(file.translations).to.deep.equal(FILE_TRANSLATIONS)
    })

    it('answers conditions that are too long for SQL', () => {
      const $or = Array.from({ length: 600 }, (_, views) => ({ views }))
      expect(store.articles.query({ filters: { $or } }).total).to.equal(4)
    })

    it('refuses unknown operators and relations', () => {
      const wrong = { filters: { title: { $like: 'x' } } } as object
      expect(() => store.articles.query(wrong)).to.throw('$like')
      expect(() => store.articles.query({ populate: ['nothing' as 'tags'] })).to.throw('nothing')
    })

    it('returns copies, so that a caller cannot change stored rows', () => {
      const [entry] = store.articles.query({ filters: { extra: { $notNull: true } } }).entries
      const { extra } = entry as unknown as { extra: { a: number[] } }
      extra.a.push(2)
      const [again] = store.articles.query({ filters: { extra: { $notNull: true } } }).entries
      expect((again as unknown as Json).extra).to.deep.equal({ a: [1] })
    })

    it('notifies the affected subscribers once per set of changes', async () => {
      const told: string[] = []
      const query = { filters: { category: { name: 'blue' } }, populate: ['category'] } as const
      store.articles.subscribe(query, ({ total }) => told.push(`articles ${total}`))
      const counted = { sort: 'name', pageSize: 2 } as const
      const before = store.tags.query(counted)
      const stop = store.tags.subscribe(counted, ({ total, entries }) =>
        told.push(`tags ${total}, ${(entries[0] as unknown as Json).name}`),
      )
      const added = await create('tags', { name: 'a first tag' })
      await settled()
      await store.$sync()
      expect(told.sort()).to.deep.equal(['articles 1', `tags ${before.total + 1}, a first tag`])
      stop()
      told.length = 0
      await server.put('/api/homepage', { title: 'Home again' })
      await server.delete(`/api/tags/${added}`)
      await settled()
      await store.$sync()
      expect(told).to.deep.equal(['articles 1'])
      expect(store.homepage.get()?.title).to.equal('Home again')
      expect(store.tags.query(counted)).to.deep.equal(before)
    })
  }

  it('follows changes, reports offline and reconnects', async () => {
    let isOnline = true
    const fetching: typeof fetch = (input, init) =>
      isOnline ? fetch(input, init) : Promise.reject(new TypeError('fetch failed'))
    const store = await open(memoryStorage(), { fetch: fetching })
    const stop = store.$follow()
    await until(() => store.$status().phase === 'current', 10_000)
    await create('tags', { name: 'while it follows' })
    const has = (name: string) => store.tags.query({ filters: { name } }).total === 1
    await until(() => has('while it follows'), 10_000)
    isOnline = false
    await create('tags', { name: 'while it is away' })
    await until(() => store.$status().phase === 'offline', 10_000)
    expect(has('while it follows')).to.equal(true)
    isOnline = true
    await until(() => has('while it is away'), 10_000)
    await until(() => store.$status().phase === 'current', 10_000)
    expect(store.$status()).to.deep.equal({ phase: 'current', isComplete: true, error: null })
    stop()
    await store.$close()
  })

  it('reports a full disk, and continues when there is space', async () => {
    const disk = memoryStorage()
    let isFull = false
    const storage: StoreStorage = {
      ...disk,
      commit: (changes, mark) =>
        isFull ? Promise.reject(new QuotaExceededError('full')) : disk.commit(changes, mark),
    }
    const store = await open(storage)
    await store.$sync()
    const { total } = store.tags.query()
    isFull = true
    await create('tags', { name: 'too much' })
    await settled()
    const failure = await store.$sync().catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(QuotaExceededError)
    expect(store.$status()).to.deep.equal({ phase: 'failed', isComplete: true, error: failure })
    expect(store.tags.query().total).to.equal(total)
    isFull = false
    await store.$sync()
    expect(store.tags.query().total).to.equal(total + 1)
    await store.$close()
  })

  it('shows its rows until the resync with a new log is complete', async () => {
    const disk = memoryStorage()
    const store = await open(disk)
    await store.$sync()
    const before = store.tags.query().entries
    await server.delete(`/api/tags/${before.at(-1)?.documentId}`)
    await settled()
    const { mark } = await disk.load()
    const heads = mongo.db(server.database).collection<{ readonly _id: string }>('quire_heads')
    await heads.updateOne({ _id: 'main' }, { $set: { log: 'restored' }, $inc: { version: 1 } })
    const least: number[] = []
    store.$subscribe(() => least.push(store.tags.query().total))
    await until(async () => {
      await store.$sync()
      return store.tags.query().total === before.length - 1
    }, 10_000)
    expect(Math.min(...least)).to.equal(before.length - 1)
    expect((await disk.load()).mark?.round).to.equal((mark?.round ?? 0) + 1)
    await store.$close()
  })

  it('pauses while a cache serves the first page of an outdated log', async () => {
    const cache = behindCache()
    const store = await open(memoryStorage(), { fetch: cache.fetch })
    await store.$sync()
    const heads = mongo.db(server.database).collection<{ readonly _id: string }>('quire_heads')
    await heads.updateOne({ _id: 'main' }, { $set: { log: 'another' }, $inc: { version: 1 } })
    await until(async () => {
      const failure = await store.$sync().catch((error: unknown) => error)
      return (failure as QuireError | undefined)?.status === 410
    }, 10_000)
    cache.forget()
    await store.$sync()
    expect(store.$status().phase).to.equal('current')
    await store.$close()
  })

  it('drops rows that are no longer readable', async () => {
    let token = ROOT_TOKEN
    const storage = memoryStorage()
    const store = await open(storage, {
      storage: { get: () => ({ jwt: token }), set: () => undefined },
    })
    await store.$sync()
    const made = await server.send('POST', '/admin/api-tokens', {
      body: { name: 'nothing', type: 'custom', permissions: ['api::homepage.homepage.find'] },
    })
    token = made.body.data.accessKey
    const failure = await store.$sync().catch((error: unknown) => error)
    expect((failure as QuireError).status).to.equal(403)
    expect(store.tags.query().total).to.equal(0)
    expect((await storage.load()).rows).to.deep.equal([])
    await store.$close()
  })

  it('opens from a snapshot and syncs from there', async () => {
    const lines: string[] = []
    const scope = 'types=article,tag,homepage,upload.file&locale=en,de&limit=3'
    const files = content.types['$files']?.fields
    for (let next = `${scope}&fields[upload.file]=${files}`; ;) {
      const headers = { accept: 'application/x-ndjson' }
      const { text } = await server.get(`/api/_sync?${next}`, { headers })
      const own = text.trim().split('\n')
      const end = JSON.parse(own.pop() ?? '') as { readonly next: string; readonly more: boolean }
      lines.push(...own)
      next = `token=${end.next}`
      if (!end.more) {
        lines.push(JSON.stringify(end))
        break
      }
    }
    let requests = 0
    const fetching: typeof fetch = (input, init) => {
      requests += 1
      return fetch(input, init)
    }
    const asked = {
      content,
      client: client({ fetch: fetching }),
      types: EVERYTHING,
      locale: ['en', 'de'],
      limit: 3,
    } as const
    const snapshot = () => Promise.resolve(lines.join('\n'))
    const store = await createStore({ ...asked, storage: memoryStorage(), snapshot })
    expect(requests).to.equal(0)
    expect(store.$status().isComplete).to.equal(true)
    expect(store.articles.query().total).to.equal(9)
    await create('tags', { name: 'after the snapshot' })
    await settled()
    await store.$sync()
    expect(requests).to.equal(1)
    expect(store.tags.query({ filters: { name: 'after the snapshot' } }).total).to.equal(1)
    await store.$close()
    const cut = () => Promise.resolve(lines.slice(0, -1).join('\n'))
    const other = await createStore({ ...asked, storage: memoryStorage(), snapshot: cut })
    expect(other.$status()).to.include({ phase: 'failed', isComplete: false })
    await other.$sync()
    expect(other.articles.query().total).to.equal(9)
    await other.$close()
  })

  it('deletes its rows on $clear', async () => {
    const storage = memoryStorage()
    const store = await open(storage)
    await store.$sync()
    await store.$clear()
    expect(store.articles.query().total).to.equal(0)
    expect((await storage.load()).rows).to.deep.equal([])
    await store.$sync()
    expect(store.articles.query().total).to.equal(9)
    await store.$close()
  })

  for (const openFile of [openSqliteFile, openDirectFile]) {
    it(`keeps its rows in SQLite, also for another process (${openFile.name})`, () =>
      testTwoProcesses(openFile))
  }

  const testTwoProcesses = async (openFile: typeof openSqliteFile): Promise<void> => {
    const file = path.join(folder, `${openFile.name}.db`)
    const database = openFile(file)
    const store = await open(sqliteStorage(database))
    await store.$sync()
    const { entries } = store.articles.query({ populate: '*' })
    await store.$close()
    database.close()
    const again = openFile(file)
    const offline = { fetch: () => Promise.reject(new TypeError('fetch failed')) }
    const reopened = await open(sqliteStorage(again), offline)
    expect(reopened.$status()).to.include({ phase: 'idle', isComplete: true })
    expect(reopened.articles.query({ populate: '*' }).entries).to.deep.equal(entries)
    // The slower one of two processes continues from the position of the other.
    const other = await open(sqliteStorage(again))
    await server.put('/api/homepage', { title: 'From two sides' })
    await settled()
    const third = await open(sqliteStorage(again))
    await Promise.all([other.$sync(), third.$sync()])
    expect(other.homepage.get()?.title).to.equal('From two sides')
    expect(third.homepage.get()?.title).to.equal('From two sides')
    again.close()
  }

  const readScripts = (folder: string): string => {
    const sources = new URL('../../../../packages/client/dist/src/sync/', import.meta.url)
    const scripts = new URL(folder, sources)
    const names = readdirSync(scripts).filter((name) => name.endsWith('.js'))
    return names.map((name) => readFileSync(new URL(name, scripts), 'utf8')).join('\n')
  }

  it('has at most 8.5 kB compressed for SQLite, which imports no package', () => {
    const whole = readScripts('./sqlite/')
    expect(whole).to.not.match(/^import .* from '(?!\.)/m)
    expect(gzipSync(whole, { level: 9 }).length).to.be.within(1_024, 8_704)
  })

  it('has at most 25.5 kB compressed besides, with comments, and imports two packages', () => {
    const whole = readScripts('./')
    const imported = [...whole.matchAll(/^import .* from '([^.'][^']*)'/gm)].map(([, name]) => name)
    expect(new Set(imported)).to.deep.equal(
      new Set([
        '@quire/merge/apply-operation',
        '@quire/merge/is-deep-equal',
        '@noble/hashes/sha2',
        '@noble/hashes/utils',
      ]),
    )
    expect(gzipSync(whole, { level: 9 }).length).to.be.at.most(26_112)
  })
})
