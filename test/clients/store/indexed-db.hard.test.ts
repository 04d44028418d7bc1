import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import { type DoubleServer, serveDouble, type TakeUpload } from './double-server.ts'
import { keyOf, SyncDouble } from './sync-double.ts'

const CHROMIUM = process.env['QUIRE_BROWSER'] ?? '/usr/bin/chromium'
const KILLS = Number(process.env['STORE_KILLS'] ?? 12)
const ROWS = 200

interface Held {
  readonly rows: readonly string[]
  readonly phase: string
  readonly error: string | null
}

describe('a store in IndexedDB in a browser', () => {
  let profile = ''
  let context: BrowserContext | undefined
  let server: DoubleServer
  let onRequest: () => void = () => undefined
  let onUpload: TakeUpload = () => []
  let double: SyncDouble
  before(async function () {
    if (!existsSync(CHROMIUM)) return this.skip()
    profile = mkdtempSync(path.join(tmpdir(), 'quire-indexed-db-'))
    context = await chromium.launchPersistentContext(profile, {
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu'],
    })
  })
  beforeEach(async () => {
    double = new SyncDouble(['article'], {
      may: new Set(['article', 'tag', 'upload.file']),
      locales: ['en', 'de'],
      shapes: { article: '1', tag: '1', 'upload.file': '1' },
    })
    onRequest = () => undefined
    server = await serveDouble(
      double,
      () => onRequest(),
      (key, body) => onUpload(key, body),
    )
  })
  afterEach(() => server.close())
  after(async () => {
    await context?.close()
    if (profile !== '') rmSync(profile, { recursive: true, force: true })
  })

  const openPage = async (): Promise<Page> => {
    if (context === undefined) throw new Error('There is no browser')
    const page = await context.newPage()
    await page.goto(server.url)
    await page.waitForFunction('globalThis.quire !== undefined')
    return page
  }

  /** Opens a store in a page, as `store` of the page. */
  const openStore = (page: Page): Promise<void> =>
    page.evaluate(async (url) => {
      type Open = (...given: unknown[]) => unknown
      const { quire } = globalThis as unknown as {
        readonly quire: Readonly<Record<'createClient' | 'createStore' | 'indexedDbStorage', Open>>
      }
      const plan = (name: string) => ({ name, kind: 'collection', kinds: {}, links: {} })
      const store = await quire.createStore({
        content: { types: { articles: plan('article'), tags: plan('tag') }, components: {} },
        client: quire.createClient({}, { url, retries: 0 }),
        types: ['articles', 'tags'],
        locale: ['en', 'de'],
        storage: quire.indexedDbStorage('double'),
        limit: 7,
        pauseMs: 20,
      })
      Object.assign(globalThis, { store })
    }, server.url)

  const heldBy = (page: Page): Promise<Held> =>
    page.evaluate(() => {
      interface Entry {
        readonly documentId: string
        readonly locale: string | null
        readonly title: string
      }
      interface Type {
        query(asked: object): { readonly entries: readonly Entry[] }
      }
      const { store } = globalThis as unknown as {
        readonly store: {
          readonly articles: Type
          readonly tags: Type
          $status(): { readonly phase: string; readonly error: Error | null }
        }
      }
      const rowsOf = (type: Type, name: string): readonly string[] =>
        type
          .query({ locale: '*' })
          .entries.map((row) => `${name} ${row.documentId} ${row.locale ?? ''} ${row.title}`)
      const { phase, error } = store.$status()
      const rows = [...rowsOf(store.articles, 'article'), ...rowsOf(store.tags, 'tag')].sort()
      return { rows, phase, error: error?.name ?? null }
    })

  const act = (page: Page, method: '$sync' | '$follow' | '$close'): Promise<unknown> =>
    page.evaluate(async (name) => {
      const { store } = globalThis as unknown as {
        readonly store: Record<string, () => Promise<unknown>>
      }
      const done: unknown = await store[name]?.()
      return typeof done
    }, method)

  const wanted = (): readonly string[] =>
    [...double.rows.values()].map((row) => `${keyOf(row)} ${row.title}`).sort()

  const write = (turn: string): void => {
    for (let row = 0; row < ROWS; row += 1) {
      const isTag = row % 3 === 0
      const at = {
        type: isTag ? 'tag' : 'article',
        documentId: `${Math.floor(Math.random() * ROWS)}`,
        locale: isTag ? null : row % 2 === 0 ? 'en' : 'de',
      }
      if (Math.random() < 0.2) double.delete(at)
      else double.put({ ...at, title: turn })
    }
  }

  it(`continues where it stopped when its page is killed, ${KILLS} times`, async function () {
    this.timeout(60_000 + KILLS * 20_000)
    let killed = 0
    for (let turn = 0; turn < KILLS; turn += 1) {
      write(`${turn}`)
      if (turn % 4 === 3) double.restart()
      if (turn % 6 === 5) {
        double.rules = { ...double.rules, locales: turn % 12 === 5 ? ['en'] : ['en', 'de'] }
      }
      const page = await openPage()
      await openStore(page)
      const devtools = await page.context().newCDPSession(page)
      let requests = 0
      const killAt = 1 + Math.floor(Math.random() * 25)
      const crashed = new Promise<boolean>((resolve) => page.once('crash', () => resolve(true)))
      onRequest = () => {
        requests += 1
        if (requests !== killAt) return
        setTimeout(() => void devtools.send('Page.crash').catch(() => null), Math.random() * 15)
      }
      const synced = act(page, '$sync').then(
        () => false,
        () => crashed,
      )
      if (await Promise.race([synced, crashed])) killed += 1
      await page.close().catch(() => null)
    }
    expect(killed, 'kills that came in time').to.be.above(KILLS / 2)
    onRequest = () => undefined
    double.rules = { ...double.rules, locales: ['en', 'de'] }
    const page = await openPage()
    await openStore(page)
    await act(page, '$sync')
    expect((await heldBy(page)).rows).to.deep.equal(wanted())
    await page.reload()
    await page.waitForFunction('globalThis.quire !== undefined')
    await openStore(page)
    expect((await heldBy(page)).rows).to.deep.equal(wanted())
    await page.close()
  })

  it('keeps the bytes of files over a reload, shows them, and sends them', async () => {
    interface FileStore {
      readonly $files: {
        add(file: Blob): Promise<string>
        get(documentId: string): { readonly url: string } | null
        readonly pending: readonly { readonly name: string }[]
      }
      $sync(): Promise<void>
    }
    const openFiles = (page: Page): Promise<void> =>
      page.evaluate(async (url) => {
        type Open = (...given: unknown[]) => unknown
        const { quire } = globalThis as unknown as {
          readonly quire: Readonly<
            Record<'createClient' | 'createStore' | 'indexedDbStorage', Open>
          >
        }
        const files = { name: 'upload.file', kind: 'collection', kinds: {}, links: {} }
        const store = await quire.createStore({
          content: { types: { $files: files }, components: {} },
          client: quire.createClient({}, { url, retries: 0 }),
          types: ['$files'],
          locale: ['en'],
          storage: quire.indexedDbStorage('files'),
          limit: 7,
          user: 'u1',
        })
        Object.assign(globalThis, { store })
      }, server.url)
    const shown = (page: Page, id: string): Promise<readonly [string, number]> =>
      page.evaluate(async (documentId) => {
        const { store } = globalThis as unknown as { readonly store: FileStore }
        const response = await fetch(store.$files.get(documentId)?.url ?? '')
        return [await response.text(), store.$files.pending.length] as const
      }, id)
    const sent: string[] = []
    onUpload = (key, body) => {
      sent.push(body)
      return [{ id: 1, documentId: key, url: '/client/index.js' }]
    }
    const page = await openPage()
    await openFiles(page)
    const id = await page.evaluate(() => {
      const { store } = globalThis as unknown as { readonly store: FileStore }
      return store.$files.add(new File(['bytes of a file'], 'a.txt', { type: 'text/plain' }))
    })
    expect(await shown(page, id)).to.deep.equal(['bytes of a file', 1])
    await page.reload()
    await page.waitForFunction('globalThis.quire !== undefined')
    await openFiles(page)
    expect(await shown(page, id)).to.deep.equal(['bytes of a file', 1])
    await act(page, '$sync')
    expect(sent).to.have.length(1)
    expect(sent[0]).to.include('filename="a.txt"').and.include('bytes of a file')
    const [text, pending] = await shown(page, id)
    expect(pending).to.equal(0)
    expect(text, 'the address of the server').not.to.equal('bytes of a file')
    await page.close()
  })

  it('reports a full disk, shows its rows, and continues when there is space', async function () {
    this.timeout(60_000)
    const page = await openPage()
    const devtools = await page.context().newCDPSession(page)
    const { origin } = new URL(server.url)
    // Before the first row is stored, because the browser reads the quota only now and then.
    await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 500_000 })
    await openStore(page)
    for (let row = 0; row < 60; row += 1) {
      const title = randomBytes(20_000).toString('hex')
      double.put({ type: 'tag', documentId: `${row}`, locale: null, title })
    }
    const refused = await act(page, '$sync').then(
      () => null,
      (error: unknown) => String(error),
    )
    expect(refused).to.include('QuotaExceededError')
    const full = await heldBy(page)
    expect(full).to.include({ phase: 'failed', error: 'QuotaExceededError' })
    expect(full.rows.length).to.be.below(60)
    await page.reload()
    await page.waitForFunction('globalThis.quire !== undefined')
    await openStore(page)
    expect((await heldBy(page)).rows, 'what it says it has is stored').to.deep.equal(full.rows)
    await devtools.send('Storage.overrideQuotaForOrigin', { origin })
    await act(page, '$sync')
    expect((await heldBy(page)).rows).to.deep.equal(wanted())
    await page.close()
  })

  it('syncs all tabs through one of them, and through the next when that one is closed', async function () {
    this.timeout(60_000)
    write('tabs')
    const pages = [await openPage(), await openPage()] as const
    for (const page of pages) {
      await openStore(page)
      await act(page, '$follow')
    }
    const areWhole = async (...open: readonly Page[]): Promise<boolean> => {
      for (const page of open) {
        if (JSON.stringify((await heldBy(page)).rows) !== JSON.stringify(wanted())) return false
      }
      return true
    }
    await until(() => areWhole(...pages), 20_000)
    const phases = await Promise.all(pages.map(async (page) => (await heldBy(page)).phase))
    expect(phases.sort()).to.deep.equal(['current', 'idle'])
    const [leader, other] =
      (await heldBy(pages[0])).phase === 'current' ? pages : [pages[1], pages[0]]
    await leader.close()
    write('after the leader')
    await until(() => areWhole(other), 20_000)
    await other.close()
  })
})
