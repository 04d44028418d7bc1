import { expect } from 'chai'
import type { Request } from 'playwright-core'
import { describeInBrowser, type Window } from './browser.ts'
import { editorBefore, openPiece, PIECE, titleOf } from './editors.ts'
import type { Server } from './server.ts'

const POLL_MS = 41_000

describeInBrowser('the requests of an entry', () => {
  let server: Server
  let window: Window
  editorBefore((opened) => {
    server = opened.server
    window = opened.window
  })

  it('sends at most eight requests about an entry to open it, and none twice', async () => {
    const { page } = window
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Opened' } })).data
    const sent: string[] = []
    page.on('request', (request) => {
      const url = decodeURIComponent(request.url())
      if (url.includes('/admin/') && url.includes(documentId)) sent.push(new URL(url).pathname)
    })
    const begun = page.waitForResponse(/\/admin\/presence\?/)
    await openPiece(page, server, documentId)
    await begun
    await page.locator('main header').getByText('Draft', { exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(sent).to.include('/admin/presence')
    expect(sent.toSorted()).to.deep.equal([...new Set(sent)].toSorted())
    expect(sent.length).to.be.at.most(8)
    page.removeAllListeners('request')
  })

  it('sends one PUT per autosave, which returns the state and the history', async () => {
    const { page } = window
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Before' } })).data
    await server.ask('POST', `${PIECE}/${documentId}/actions/publish?locale=en`)
    await page.clock.install()
    await openPiece(page, server, documentId)
    await page.getByRole('complementary').getByText('Published', { exact: true }).first().waitFor()
    // The polls of the form run now, and then not before the clock has moved by as much again.
    await page.clock.pauseAt(new Date(Date.now() + POLL_MS))
    await page.waitForLoadState('networkidle')
    const sent: string[] = []
    page.on('request', (request) =>
      sent.push(`${request.method()} ${decodeURIComponent(new URL(request.url()).pathname)}`),
    )
    const isSave = (request: Request): boolean =>
      request.method() === 'PUT' && decodeURIComponent(request.url()).includes(PIECE)
    const bursts = ['One', 'Two', 'Three']
    for (const text of bursts) {
      await titleOf(page).fill(text)
      const saved = page.waitForResponse((answer) => isSave(answer.request()))
      await page.clock.runFor(1_000)
      await saved
      await page.clock.runFor(100)
    }
    await page.locator('main header').getByText('Changed', { exact: true }).waitFor()
    await page.clock.runFor(100)
    await page.waitForLoadState('networkidle')
    expect(sent).to.deep.equal(bursts.map(() => `PUT ${PIECE}/${documentId}`))
    const stored = await server.ask('GET', `${PIECE}/${documentId}?locale=en`)
    expect(stored.data.title).to.equal('Three')
    await page.clock.resume()
  })

  it('reads the comments once after a comment, although the stream reports it', async () => {
    const { page } = window
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Asked' } })).data
    const network = await window.context.newCDPSession(page)
    await network.send('Network.enable')
    let reports = 0
    let onReport: () => void = () => undefined
    network.on('Network.eventSourceMessageReceived', ({ eventName, data }) => {
      if (eventName !== 'change' || !data.includes('discussion')) return
      reports += 1
      onReport()
    })
    const isReported = (count: number): boolean => reports >= count
    await openPiece(page, server, documentId)
    await page.waitForLoadState('networkidle')
    const sent: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('/comments')) sent.push(request.method())
    })
    const comments = page.getByRole('complementary').getByRole('region', { name: 'Comments' })
    const texts = ['One', 'Two', 'Three']
    for (const [index, text] of texts.entries()) {
      await comments.getByRole('textbox', { name: 'Comment on this entry' }).fill(text)
      await comments.getByRole('button', { name: 'Comment', exact: true }).click()
      await comments.getByRole('listitem').filter({ hasText: text }).waitFor()
      while (!isReported(index + 1)) await new Promise<void>((resolve) => (onReport = resolve))
    }
    expect(sent).to.deep.equal(texts.flatMap(() => ['POST', 'GET']))
    await network.detach()
  })
})
