import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Locator, Page, Request } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import { editorBefore, fieldAt, openPiece, PIECE, signIn, untilStored } from './editors.ts'
import { type FlakyProxy, startProxy } from './flaky-proxy.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

const LENGTH = 20_000_000
const PART = 8_388_608
const TIMEOUT_MS = 180_000
/** The longest time without a byte before an attempt ends. */
const STALLED_MS = 60_000
const PATH = '/admin/files/resumable'

describeInBrowser('uploads over a bad network', () => {
  let server: Server
  let window: Window
  let page: Page
  let proxy: FlakyProxy
  let folder: string
  editorBefore(async (opened) => {
    server = opened.server
    window = opened.window
    page = window.page
    proxy = await startProxy(server.address)
    folder = mkdtempSync(path.join(tmpdir(), 'quire-uploads-'))
  })
  after(async () => {
    await proxy.close()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    await page.goto(`${proxy.address}/studio/media`)
    await page.getByRole('heading', { level: 1, name: 'Media' }).waitFor()
  })

  const file = (name: string): Locator => page.getByRole('row', { name })
  const list = (): Locator => page.getByRole('region', { name: 'Uploads' })
  const interrupted = (): Locator => page.getByText('Interrupted. The upload continues').first()
  const makeFile = (name: string, length: number): string => {
    writeFileSync(path.join(folder, name), randomBytes(length))
    return path.join(folder, name)
  }
  const choose = async (paths: readonly string[], within: Page | Locator = page) => {
    const chooser = page.waitForEvent('filechooser')
    await within.getByRole('button', { name: 'Upload', exact: true }).click()
    await (await chooser).setFiles([...paths])
  }
  const stored = async (name: string) =>
    (await server.ask('GET', `/admin/files?search=${name}`)).data as readonly {
      readonly url: string
    }[]
  const isForm = (request: Request): boolean =>
    request.method() === 'POST' && request.url().endsWith('/admin/files')
  /** Passes the time of a page until it has given up these many requests with bytes of files. */
  const untilGivenUp = (count: number): (() => Promise<void>) => {
    const running = new Set<Request>()
    const begun = new Promise<readonly Request[]>((resolve) =>
      page.on('request', (request) => {
        if (isForm(request) || request.method() === 'PATCH') running.add(request)
        if (running.size === count) resolve([...running])
      }),
    )
    page.on('requestfailed', (request) => running.delete(request))
    return async () => {
      const stalled = await begun
      // Bytes that the system still takes begin the time again.
      while (stalled.some((one) => running.has(one))) await page.clock.fastForward(STALLED_MS)
    }
  }
  /** The file exists once, with the bytes of the local one. */
  const expectWhole = async (local: string): Promise<void> => {
    const found = await stored(path.basename(local))
    expect(found).to.have.length(1)
    const answer = await fetch(server.address + (found[0]?.url ?? ''))
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.equals(readFileSync(local))).to.equal(true)
  }
  /** For uploads that are interrupted after two parts. */
  const watchBytes = () => {
    const before = proxy.sent()
    const offsets: number[] = []
    const note = (request: Request): void => {
      if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
    }
    page.on('request', note)
    return {
      expectNotFromZero: (repeated = 2) => {
        page.off('request', note)
        expect(offsets.filter((offset) => offset === 0)).to.have.length(1)
        expect(offsets).to.deep.equal(offsets.toSorted((one, other) => one - other))
        // The cut part, once more if the browser itself repeats its request, and before a sign-in.
        expect(proxy.sent() - before).to.be.within(LENGTH, LENGTH + repeated * PART)
      },
    }
  }

  it('continue a large file behind a cut of the connection', async () => {
    const local = makeFile('cut.bin', LENGTH)
    const sent = watchBytes()
    const cut = proxy.cutAt(proxy.sent() + 18_000_000)
    await choose([local])
    await cut
    await file('cut.bin').waitFor({ timeout: 120_000 })
    await expectWhole(local)
    sent.expectNotFromZero()
    await list().waitFor({ state: 'detached' })
  }).timeout(TIMEOUT_MS)

  it('say that they are interrupted, and continue when the browser is online again', async () => {
    const local = makeFile('offline.bin', LENGTH)
    const sent = watchBytes()
    const second = page.waitForRequest(
      (request) => Number(request.headers()['upload-offset'] ?? 0) >= PART,
      { timeout: 120_000 },
    )
    await choose([local])
    await second
    await window.context.setOffline(true)
    await interrupted().waitFor()
    await expectAccessible(page, 'an interrupted upload')
    await takePicture(page, 'upload-interrupted')
    await window.context.setOffline(false)
    await file('offline.bin').waitFor({ timeout: 120_000 })
    await expectWhole(local)
    sent.expectNotFromZero()
  }).timeout(TIMEOUT_MS)

  it('do not hold back others when they stall, and arrive once after all', async () => {
    const large = [1, 2].map((nth) => makeFile(`stalled-${nth}.bin`, 9_000_000))
    const small = makeFile('small.bin', 3_000_000)
    const next = makeFile('next.bin', 10_000)
    const first = page
    page = await window.context.newPage()
    await page.clock.install()
    await page.goto(`${proxy.address}/studio/media`)
    const stalls = [
      ...large.map(() => proxy.stallAt('application/offset+octet-stream')),
      proxy.stallAt('multipart/form-data'),
    ]
    const givenUp = untilGivenUp(stalls.length)
    await choose([...large, small, next])
    await Promise.all(stalls)
    await list().getByText('Waiting for other uploads').waitFor()
    expect(await stored('next.bin')).to.have.length(0)
    const shown = interrupted().waitFor()
    await givenUp()
    await shown
    await file('next.bin').waitFor()
    for (const local of [...large, small]) {
      await file(path.basename(local)).waitFor({ timeout: 120_000 })
      await expectWhole(local)
    }
    await page.close()
    page = first
  }).timeout(TIMEOUT_MS)

  it('store a small file once if its response is lost', async () => {
    const local = makeFile('lost.bin', 10_000)
    const lost = proxy.cutAnswerTo('multipart/form-data')
    await choose([local])
    await lost
    await file('lost.bin').waitFor({ timeout: 60_000 })
    await list().waitFor({ state: 'detached' })
    await expectWhole(local)
  }).timeout(TIMEOUT_MS)

  it('are shown again when the media are opened again', async () => {
    const stall = proxy.stallAt('application/offset+octet-stream')
    await choose([makeFile('away.bin', 9_000_000)])
    await stall
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('heading', { level: 1, name: 'Media' }).waitFor({ state: 'detached' })
    expect(await list().count()).to.equal(0)
    await page.getByRole('link', { name: 'Media' }).click()
    await list().getByText('away.bin').waitFor()
    await page.getByRole('button', { name: 'Cancel the upload of away.bin' }).click()
    await list().waitFor({ state: 'detached' })
    expect(await stored('away.bin')).to.have.length(0)
  }).timeout(TIMEOUT_MS)

  it('can be cancelled, which deletes the bytes of the server', async () => {
    const local = makeFile('cancelled.bin', LENGTH)
    const begun = page.waitForResponse(
      (answer) => answer.request().method() === 'POST' && answer.url().endsWith(PATH),
    )
    const stall = proxy.stallAt('Upload-Offset: 8388608')
    await choose([local])
    const { data } = (await (await begun).json()) as { readonly data: { readonly id: string } }
    await stall
    const removed = page.waitForResponse((answer) => answer.request().method() === 'DELETE')
    await page.getByRole('button', { name: 'Cancel the upload of cancelled.bin' }).click()
    await list().waitFor({ state: 'detached' })
    expect((await removed).status()).to.equal(204)
    const status = await page.evaluate(
      async (target) => (await fetch(target)).status,
      `${PATH}/${data.id}`,
    )
    expect(status).to.equal(404)
    expect(await stored('cancelled.bin')).to.have.length(0)
  }).timeout(TIMEOUT_MS)

  it('ask for a sign-in when the session ends, and continue', async () => {
    const local = makeFile('session.bin', LENGTH)
    const sent = watchBytes()
    const stall = proxy.stallAt('Upload-Offset: 8388608')
    await choose([local])
    const cut = await stall
    await page.evaluate(() => fetch('/admin/session', { method: 'DELETE' }))
    cut()
    await page.getByLabel('Password').waitFor({ timeout: 60_000 })
    await signIn(page, 'Ada')
    await file('session.bin').waitFor({ timeout: 120_000 })
    await expectWhole(local)
    sent.expectNotFromZero(3)
  }).timeout(TIMEOUT_MS)

  it('name the reason of a refusal', async () => {
    const local = makeFile('refused.bin', 9_000_000)
    await page.route(`**${PATH}`, (route) =>
      route.fulfill({
        status: 413,
        headers: { 'Error-Code': 'payload_too_large' },
        json: { data: null, error: { message: 'The upload is too large' } },
      }),
    )
    await choose([local])
    await list().getByRole('alert').getByText('refused.bin').waitFor()
    expect(await interrupted().count()).to.equal(0)
    await page.unroute(`**${PATH}`)
    await list().getByRole('button', { name: 'Close' }).click()
    await list().waitFor({ state: 'detached' })
  }).timeout(TIMEOUT_MS)

  it('wait while the administrator has too many incomplete uploads', async () => {
    const local = makeFile('many.bin', 9_000_000)
    const forms: string[] = []
    const note = (request: Request): void => {
      if (isForm(request)) forms.push(request.url())
    }
    page.on('request', note)
    const refused = { status: 429, headers: { 'Retry-After': '1' }, json: { data: null } }
    await page.route(`**${PATH}`, (route) => route.fulfill(refused), { times: 1 })
    await choose([local])
    await interrupted().waitFor()
    await file('many.bin').waitFor({ timeout: 60_000 })
    await expectWhole(local)
    page.off('request', note)
    expect(forms).to.deep.equal([])
  }).timeout(TIMEOUT_MS)

  it('delete their parts after the file has arrived as a form', async () => {
    const local = makeFile('old.bin', 9_000_000)
    const parts = `**${PATH}/*`
    await page.route(parts, (route) => {
      const isPart = route.request().method() === 'PATCH'
      return isPart ? route.fulfill({ status: 503, json: { data: null } }) : route.continue()
    })
    let creations = 0
    await page.route(`**${PATH}`, (route) => {
      creations += 1
      return creations === 1 ? route.continue() : route.fulfill({ status: 404, json: {} })
    })
    const removed = page.waitForResponse((answer) => answer.request().method() === 'DELETE', {
      timeout: 60_000,
    })
    await choose([local])
    await file('old.bin').waitFor({ timeout: 60_000 })
    expect((await removed).status()).to.equal(204)
    await page.unroute(parts)
    await page.unroute(`**${PATH}`)
    await expectWhole(local)
  }).timeout(TIMEOUT_MS)

  const galleryOf = async (documentId: string): Promise<readonly string[]> => {
    const entry = await server.ask('GET', `${PIECE}/${documentId}?populate=gallery`)
    const files = (entry.data.gallery ?? []) as readonly { readonly name: string }[]
    return files.map(({ name }) => name)
  }

  it('leave out a cancelled file that has arrived before an earlier one', async () => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Order' } })).data
    await openPiece(page, { ...server, address: proxy.address }, documentId)
    const gallery = fieldAt(page, 'gallery')
    const chosen = [
      makeFile('first.png', 9_000_000),
      ...['second.png', 'third.png'].map((name) => makeFile(name, 10_000)),
    ]
    const stall = proxy.stallAt('application/offset+octet-stream')
    let arrived = 0
    const both = page.waitForResponse((answer) => {
      arrived += isForm(answer.request()) && answer.status() === 201 ? 1 : 0
      return arrived === 2
    })
    await choose(chosen, gallery)
    await Promise.all([stall, both])
    for (const name of ['second.png', 'first.png']) {
      await page.getByRole('button', { name: `Cancel the upload of ${name}` }).click()
    }
    await gallery.getByRole('button', { name: /^third.png/ }).waitFor()
    expect(await gallery.getByText('second.png').count()).to.equal(0)
    await untilStored(() => galleryOf(documentId), ['third.png'])
  }).timeout(TIMEOUT_MS)

  it('do not hold back other changes of their field while they are interrupted', async () => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Held' } })).data
    await openPiece(page, { ...server, address: proxy.address }, documentId)
    const gallery = fieldAt(page, 'gallery')
    await choose([makeFile('early.png', 10_000)], gallery)
    await untilStored(() => galleryOf(documentId), ['early.png'])
    const restore = proxy.cutEach('application/offset+octet-stream')
    await choose([makeFile('late.png', 9_000_000)], gallery)
    await interrupted().waitFor()
    await gallery.getByRole('button', { name: 'Remove early.png' }).click()
    await untilStored(() => galleryOf(documentId), [])
    restore()
    // Ends the pause before the next attempt.
    await page.evaluate("dispatchEvent(new Event('online'))")
    await gallery.getByRole('button', { name: /^late.png/ }).waitFor({ timeout: 60_000 })
    await untilStored(() => galleryOf(documentId), ['late.png'])
  }).timeout(TIMEOUT_MS)

  it('fill a field of an entry behind a cut, and can be cancelled there', async () => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Film' } })).data
    await openPiece(page, { ...server, address: proxy.address }, documentId)
    const film = makeFile('field.png', LENGTH)
    const cut = proxy.cutAt(proxy.sent() + 10_000_000)
    await choose([film], fieldAt(page, 'cover'))
    await cut
    const shown = fieldAt(page, 'cover').getByRole('button', { name: /^field.png/ })
    await shown.waitFor({ timeout: 120_000 })
    await untilStored(async () => {
      const entry = await server.ask('GET', `${PIECE}/${documentId}?populate=cover`)
      return entry.data.cover?.name as unknown
    }, 'field.png')
    await expectWhole(film)
    const stall = proxy.stallAt('application/offset+octet-stream')
    await choose([makeFile('gone.png', LENGTH)], fieldAt(page, 'gallery'))
    await stall
    await page.getByRole('button', { name: 'Cancel the upload of gone.png' }).click()
    await page.getByText('gone.png').waitFor({ state: 'detached' })
    expect(await stored('gone.png')).to.have.length(0)
  }).timeout(TIMEOUT_MS)
})
