import type { ContentType } from '@quire/client'
import { createStore, memoryStorage, sqliteStorage, type StoreStorage } from '@quire/client/sync'
import { type BrowserContext, chromium, type Page as Tab } from 'playwright-core'
import type { Location } from '../../../src/schema/values/location.ts'
import { type DoubleServer, serveDouble } from './double-server.ts'
import { openDirectFile, openSqliteFile } from './sqlite-database.ts'
import { SyncDouble } from './sync-double.ts'

export interface StorePage {
  readonly title: string | null
  /** A text, or blocks. */
  readonly body: unknown
  readonly note: string
  readonly at?: Location | null | undefined
}

export interface StoreAnswer {
  readonly ids: readonly number[]
  readonly total: number
  readonly pageCount: number
  readonly distances: readonly number[] | null
}

interface Loose extends ContentType {
  readonly kind: 'collection'
  readonly searched: 'title' | 'body'
  readonly fields: { readonly id: number; readonly documentId: string }
}

interface Types {
  readonly locales: 'en'
  readonly types: { readonly pages: Loose; readonly notes: Loose }
  readonly files: ContentType
}

const CONTENT: Parameters<typeof createStore<Types, 'pages' | 'notes', 'en'>>[0]['content'] = {
  types: {
    pages: {
      name: 'page',
      kind: 'collection',
      search: { title: 4, body: 1 },
      kinds: { body: 'json', at: 'json' },
      links: {},
    },
    notes: { name: 'note', kind: 'collection', kinds: {}, links: {} },
  },
  components: {},
}

/** Opens stores of one kind of storage. */
export interface FindingStores {
  /** Fills a new storage with pages, opens it again, and asks it for each query. `id` is the place of a page in the list. */
  ask(
    pages: readonly StorePage[],
    queries: readonly object[],
    type?: 'pages' | 'notes',
  ): Promise<readonly StoreAnswer[]>
  close(): Promise<void>
}

/** Null if the storage is not available on this machine. */
export type OpenFindingStores = () => Promise<FindingStores | null>

const CHROMIUM = process.env['QUIRE_BROWSER'] ?? '/usr/bin/chromium'

export const FINDING_STORES: Readonly<Record<string, OpenFindingStores>> = {
  memory: () => Promise.resolve(inThisProcess(() => [memoryStorage(), () => undefined])),
  'SQLite with rows in memory': () =>
    Promise.resolve(
      inThisProcess(() => {
        const database = openSqliteFile(':memory:')
        return [sqliteStorage(database), () => database.close()]
      }),
    ),
  'SQLite with rows on disk': () =>
    Promise.resolve(
      inThisProcess(() => {
        const database = openDirectFile(':memory:')
        return [sqliteStorage(database), () => database.close()]
      }),
    ),
  IndexedDB: inBrowser,
}

type Opened = readonly [storage: StoreStorage, close: () => void]

function inThisProcess(openStorage: () => Opened): FindingStores {
  return {
    ask: async (pages, queries, type = 'pages') => {
      const [storage, close] = openStorage()
      const open = () =>
        createStore({
          content: CONTENT,
          client: { $send: () => Promise.reject(new TypeError('no network')) },
          types: ['pages', 'notes'],
          locale: 'en',
          storage,
          snapshot: () => Promise.resolve(snapshotOf(pages)),
        })
      await open()
      const store = await open()
      const answers = queries.map((query) => toAnswer(store[type].query(query)))
      await store.$close()
      close()
      return answers
    },
    close: () => Promise.resolve(),
  }
}

interface FoundPage {
  readonly entries: readonly object[]
  readonly total: number
  readonly pageCount: number
  readonly distances?: readonly number[]
}

function toAnswer({ entries, total, pageCount, distances }: FoundPage): StoreAnswer {
  const ids = entries.map((entry) => (entry as { readonly id: number }).id)
  return { ids, total, pageCount, distances: distances ?? null }
}

function snapshotOf(pages: readonly StorePage[]): string {
  const rows = pages.map((data, id) => ({
    op: 'put',
    type: 'page',
    documentId: `p${id}`,
    locale: null,
    status: 'published',
    data: { id, documentId: `p${id}`, ...data },
  }))
  const lines = [...rows, { next: 'end', more: false }]
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
}

async function inBrowser(): Promise<FindingStores | null> {
  const browser = await chromium
    .launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
    .catch(() => null)
  if (browser === null) return null
  const double = new SyncDouble([], { may: new Set(), locales: ['en'], shapes: {} })
  const server = await serveDouble(double)
  const context = await browser.newContext()
  const tab = await openTab(context, server)
  let opened = 0
  return {
    ask: async (pages, queries, type = 'pages') => {
      opened += 1
      const asked = { content: CONTENT, snapshot: snapshotOf(pages), name: `find${opened}`, type }
      const found = await tab.evaluate(askInTab, { ...asked, queries, url: server.url })
      return found.map(toAnswer)
    },
    close: async () => {
      await browser.close()
      await server.close()
    },
  }
}

async function openTab(context: BrowserContext, { url }: DoubleServer): Promise<Tab> {
  const tab = await context.newPage()
  await tab.goto(url)
  await tab.waitForFunction('globalThis.quire !== undefined')
  return tab
}

interface AskedInTab {
  readonly content: object
  readonly snapshot: string
  readonly name: string
  readonly type: string
  readonly queries: readonly object[]
  readonly url: string
}

/** Runs in the browser, so it cannot use other functions of this file. */
async function askInTab(asked: AskedInTab): Promise<readonly FoundPage[]> {
  const { content, snapshot, name, type, queries, url } = asked
  interface TabStore {
    readonly [type: string]: { query(query: object): FoundPage }
  }
  const { quire } = globalThis as unknown as {
    readonly quire: {
      createClient(this: void, content: object, options: object): object
      createStore(
        this: void,
        options: object,
      ): Promise<TabStore & { readonly $close: () => Promise<void> }>
      indexedDbStorage(this: void, name: string): object
    }
  }
  const open = () =>
    quire.createStore({
      content,
      client: quire.createClient({}, { url, retries: 0 }),
      types: ['pages', 'notes'],
      locale: 'en',
      storage: quire.indexedDbStorage(name),
      snapshot: () => Promise.resolve(snapshot),
    })
  const written = await open()
  await written.$close()
  const store = await open()
  const pages = queries.map((query) => store[type]?.query(query))
  await store.$close()
  return pages.filter((page) => page !== undefined)
}
