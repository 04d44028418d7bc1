import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { describeInBrowser } from './browser.ts'
import { editorBefore, openPiece, PIECE, titleOf, untilSaved, untilStored } from './editors.ts'
import type { Server } from './server.ts'

const NO_CONNECTION = /No connection: kept in this browser/

describeInBrowser('an entry in two tabs of a browser', () => {
  let server: Server
  let context: BrowserContext
  editorBefore((opened) => {
    server = opened.server
    context = opened.window.context
  })

  const make = async (title: string): Promise<string> =>
    (await server.ask('POST', PIECE, { data: { title } })).data.documentId
  const openTab = async (documentId: string): Promise<Page> => {
    const page = await context.newPage()
    await openPiece(page, server, documentId)
    return page
  }
  const cutOff = async (page: Page): Promise<void> => {
    await page.route('**/admin/content/**', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.fallback(),
    )
  }
  const typeUnsaved = async (page: Page, title: string): Promise<void> => {
    await cutOff(page)
    await titleOf(page).fill(title)
    await page.getByText(NO_CONNECTION).waitFor()
  }
  const crash = async (page: Page): Promise<void> => {
    const crashed = page.waitForEvent('crash')
    await page.goto('chrome://crash').catch(() => undefined)
    await crashed
    await page.close()
  }
  const teaserOf = (page: Page) => page.getByLabel('Teaser', { exact: true })
  const stored = (documentId: string) => async () => {
    const { title, teaser } = (await server.ask('GET', `${PIECE}/${documentId}`)).data
    return [title, teaser]
  }

  it('keeps unsaved words of a tab when another tab saves', async () => {
    const documentId = await make('Saves')
    const [first, second] = [await openTab(documentId), await openTab(documentId)]
    await typeUnsaved(first, 'Typed in the first')
    await teaserOf(second).fill('typed in the second')
    await untilSaved(second)
    await crash(first)
    const again = await openTab(documentId)
    await untilStored(stored(documentId), ['Typed in the first', 'typed in the second'])
    expect(await titleOf(again).inputValue()).to.equal('Typed in the first')
    await Promise.all([second.close(), again.close()])
  })

  it('keeps them when another tab is opened, discarded, reloaded and closed', async () => {
    const documentId = await make('Published')
    await server.ask('POST', `${PIECE}/${documentId}/actions/publish`)
    const first = await openTab(documentId)
    await typeUnsaved(first, 'Typed in the first')
    const second = await openTab(documentId)
    expect(await titleOf(second).inputValue()).to.equal('Published')
    await teaserOf(second).fill('typed in the second')
    await untilSaved(second)
    await second.getByRole('button', { name: 'More', exact: true }).click()
    await second.getByRole('menuitem', { name: 'Discard changes' }).click()
    await untilStored(stored(documentId), ['Published', null])
    await second.reload()
    await titleOf(second).waitFor()
    expect(await titleOf(second).inputValue()).to.equal('Published')
    await second.close()
    await crash(first)
    const again = await openTab(documentId)
    await untilStored(stored(documentId), ['Typed in the first', null])
    await again.close()
  })

  it('restores the words of two crashed tabs, of one attribute the newest', async () => {
    const documentId = await make('Crashes')
    const [first, second] = [await openTab(documentId), await openTab(documentId)]
    await typeUnsaved(first, 'Older')
    await cutOff(second)
    await teaserOf(second).fill('of the second')
    await second.getByText(NO_CONNECTION).waitFor()
    await titleOf(second).fill('Newer')
    await second.getByText(NO_CONNECTION).waitFor()
    await second.waitForFunction(() =>
      Object.values(localStorage).some((text) => text.includes('Newer')),
    )
    await crash(first)
    await crash(second)
    const again = await openTab(documentId)
    await untilStored(stored(documentId), ['Newer', 'of the second'])
    await again.close()
  })
})
