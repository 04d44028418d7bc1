import { type ContentType, createClient, QuireError } from '@quire/client'
import { createStore, memoryStorage, type StoreStorage } from '@quire/client/sync'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { loadSchema } from '../../../src/server/services/load-schema.ts'
import { declare, type Json, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { until } from '../../support/until.ts'
import { contentPlanOf } from '../../../tools/simulate/src/models/content-plan-of.ts'
import { type Faults, openFaultyProcess, QuotaExceededError } from './faulty-process.ts'

/** The number of histories, each with some dozens of requests. */
const RUNS = modelRuns('STORE_HTTP_RUNS', 10, 25)

type Loose = ContentType & {
  readonly kind: 'collection'
  readonly fields: { readonly documentId: string; readonly locale: string | null; title: string }
  readonly filters: { readonly title: string }
}
interface Types {
  readonly locales: 'en' | 'de'
  readonly types: { readonly articles: Loose; readonly tags: Loose }
  readonly files: Loose
}

const KINDS = { articles: 'collection', tags: 'collection' } as const
const TYPES = { articles: 'article', tags: 'tag' } as const
const CONTENT_TYPES = {
  article: declare(
    'article',
    { title: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
    { draftAndPublish: true, localized: true },
  ),
  tag: declare('tag', { title: { type: 'string' } }),
}

interface Row {
  readonly type: 'articles' | 'tags'
  readonly document: number
  readonly locale: 'en' | 'de'
  readonly title: string
}

type Turn =
  | { readonly kind: 'put' | 'delete' | 'unpublish'; readonly row: Row }
  | { readonly kind: 'evict' }
  /** The app syncs and is killed on its way, loses a response or finds the disk full. */
  | { readonly kind: 'app'; readonly faults: Faults; readonly meanwhile: readonly Row[] }

const row: fc.Arbitrary<Row> = fc.record({
  type: fc.constantFrom('articles', 'articles', 'tags'),
  document: fc.nat({ max: 3 }),
  locale: fc.constantFrom('en', 'de'),
  title: fc.constantFrom('a', 'b'),
})
const faults: fc.Arbitrary<Faults> = fc.record({
  killAt: fc.option(fc.nat({ max: 30 })),
  fullAt: fc.option(fc.nat({ max: 4 }), { freq: 2 }),
  lostAt: fc.option(fc.nat({ max: 4 }), { freq: 2 }),
  pauses: fc.constant([]),
})
const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), row }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), row }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unpublish' as const), row }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'evict' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('app' as const),
      faults,
      meanwhile: fc.array(row, { maxLength: 3 }),
    }),
  },
)
const asked = fc.record({
  limit: fc.constantFrom(1, 2, 500),
  title: fc.constantFrom('a' as const, null, null),
})
type Asked = typeof asked extends fc.Arbitrary<infer A> ? A : never

describe('a store against the server, over HTTP', () => {
  let server: TestServer
  let content: Awaited<ReturnType<typeof contentOf>>
  const contentOf = async () => contentPlanOf<Types>(await loadSchema(server.contentTypesDir))

  before(async () => {
    server = await serve('store_http', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
      locales: ['de'],
    })
    content = await contentOf()
  })
  after(() => server.close())

  const open = (storage: StoreStorage, { limit, title }: Asked, ask: typeof fetch = fetch) =>
    createStore({
      content,
      client: createClient<Types>(KINDS, {
        url: `http://127.0.0.1:${server.port}`,
        token: ROOT_TOKEN,
        retries: 0,
        fetch: ask,
      }),
      types: ['articles', 'tags'],
      locale: ['en', 'de'],
      storage,
      limit,
      filters: title === null ? {} : { articles: { title } },
    })
  type Opened = Awaited<ReturnType<typeof open>>

  const nameOf = (type: string, one: Json): string =>
    `${type} ${one.documentId} ${one.locale ?? ''} ${one.title}`
  const held = (store: Opened): readonly string[] =>
    (['articles', 'tags'] as const)
      .flatMap((type) =>
        store[type].query({ locale: '*', pageSize: 100 }).entries.map((one) => nameOf(type, one)),
      )
      .sort()

  const listed = async (type: Row['type'], query: string): Promise<readonly Json[]> =>
    (await server.get(`/api/${type}?pagination[pageSize]=100&${query}`)).body.data

  /** The rows of the lists of the server. */
  async function wanted({ title }: Asked): Promise<readonly string[]> {
    const filters = title === null ? '' : `filters[title][$eq]=${title}`
    const articles = await Promise.all(
      ['en', 'de'].map((locale) => listed('articles', `locale=${locale}&${filters}`)),
    )
    const tags = await listed('tags', '')
    return [
      ...articles.flat().map((one) => nameOf('articles', one)),
      ...tags.map((one) => nameOf('tags', one)),
    ].sort()
  }

  /** The created documents that were not deleted yet, so that a write takes one request. */
  const made: Record<Row['type'], string[]> = { articles: [], tags: [] }

  async function carryOut(kind: 'put' | 'delete' | 'unpublish', one: Row): Promise<void> {
    const { type, document, locale, title } = one
    const documentId = made[type][document]
    const query = type === 'tags' ? '' : `?locale=${locale}`
    if (documentId === undefined) {
      if (kind !== 'put') return
      const { body } = await server.post(`/api/${type}${query}`, { title })
      made[type].push(String(body.data.documentId))
      return
    }
    const target = `/api/${type}/${documentId}`
    if (kind === 'put') {
      const { status } = await server.put(`${target}${query}`, { title })
      if (status === 404) made[type].splice(document, 1) // its last locale was deleted
    } else if (kind === 'delete') await server.delete(`${target}${query}`)
    else if (type === 'articles') await server.send('POST', `${target}/actions/unpublish${query}`)
  }

  async function runApp(
    disk: StoreStorage,
    scope: Asked,
    { faults: given, meanwhile }: Extract<Turn, { readonly kind: 'app' }>,
  ): Promise<void> {
    const process = openFaultyProcess(disk, given)
    const waiting = [...meanwhile]
    const ask = (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
      process.send(async () => {
        const answer = await fetch(url, init)
        const next = waiting.pop()
        if (next !== undefined) await carryOut('put', next)
        return answer
      }) as Promise<Response>
    const use = async (): Promise<void> => {
      const store = await open(process.storage, scope, ask)
      await store.$sync().catch((error: unknown) => {
        const isExpected = error instanceof TypeError || error instanceof QuotaExceededError
        if (!isExpected || error instanceof QuireError) throw error
      })
    }
    await Promise.race([use(), process.killed])
  }

  /** Deletes the documents of the previous history in one request. */
  async function clear(): Promise<void> {
    const lines = (['articles', 'tags'] as const).flatMap((type) =>
      made[type]
        .splice(0)
        .map((documentId) => ({ op: 'delete', type: TYPES[type], documentId, locale: '*' })),
    )
    if (lines.length === 0) return
    const { status, text } = await server.send('POST', '/api/_bulk', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
    })
    expect(status, text).to.equal(200)
    expect(await wanted({ limit: 500, title: null }), text).to.deep.equal([])
  }

  it('holds the rows of the lists after any history', async function () {
    this.timeout(60_000 + RUNS * 20_000)
    await fc.assert(
      fc.asyncProperty(
        asked,
        fc.array(turn, { minLength: 5, maxLength: 20, size: 'max' }),
        async (scope, turns) => {
          await clear()
          let disk = memoryStorage()
          for (const one of turns) {
            if (one.kind === 'evict') disk = memoryStorage()
            else if (one.kind === 'app') await runApp(disk, scope, one)
            else await carryOut(one.kind, one.row)
          }
          const store = await open(disk, scope)
          const expected = await wanted(scope)
          await until(
            async () => {
              await store.$sync()
              return held(store).join() === expected.join() // once all commits are numbered
            },
            10_000,
            () => JSON.stringify({ held: held(store), expected }),
          )
          const again = await open(disk, scope)
          expect(held(again)).to.deep.equal(expected)
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    )
  })
})
