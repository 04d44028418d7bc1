import { expect } from 'chai'
import type { FrameLocator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import { openPiece, PIECE, titleOf, untilSaved } from './editors.ts'
import { previewBefore, startSite } from './preview-site.ts'
import type { Server } from './server.ts'

describeInBrowser('the preview of an entry', function () {
  let server: Server
  let window: Window
  let page: Page
  previewBefore(
    (apiOf) => startSite(apiOf, 'pieces'),
    (opened) => {
      ;({ server, window } = opened)
      page = window.page
    },
  )
  beforeEach(() => page.setViewportSize({ width: 1280, height: 800 }))

  const pane = () => page.getByRole('region', { name: 'Preview of the draft' })
  const shown = (): FrameLocator => pane().frameLocator('iframe:visible')
  const open = async (title: string): Promise<void> => {
    const { data } = await server.ask('POST', PIECE, { data: { title } })
    await openPiece(page, server, data.documentId)
    if ((await pane().count()) === 0) await page.getByRole('button', { name: 'Preview' }).click()
  }

  it('shows the draft after each save, and adds no step to the browser history', async () => {
    await open('Before')
    await shown().getByRole('heading', { name: 'Before' }).waitFor()
    const steps = await page.evaluate(() => history.length)
    for (const title of ['After', 'After all']) {
      await titleOf(page).fill(title)
      await untilSaved(page)
      await shown().getByRole('heading', { name: title, exact: true }).waitFor()
    }
    await page.waitForFunction(() => document.querySelectorAll('iframe').length === 1)
    expect(await page.evaluate(() => history.length)).to.equal(steps)
    expect(window.complaints.filter((text) => text.includes('frame'))).to.deep.equal([])
  })

  it('shows the result of an undo', async () => {
    await open('As it was')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.locator('main header').getByText('Published', { exact: true }).waitFor()
    await titleOf(page).fill('As it is')
    await untilSaved(page)
    await shown().getByRole('heading', { name: 'As it is' }).waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Discard changes' }).click()
    await shown().getByRole('heading', { name: 'As it was' }).waitFor()
  })

  it('has the width of the chosen device, scaled down in a narrow pane', async () => {
    await open('Wide and narrow')
    const widths: Readonly<Record<string, number>> = { Phone: 390, Tablet: 820, Desktop: 1280 }
    for (const [device, width] of Object.entries(widths)) {
      await pane().getByRole('button', { name: 'Width' }).click()
      await page.getByRole('option', { name: device }).click()
      await page.waitForFunction(
        (wanted) => document.querySelector('iframe')?.clientWidth === wanted,
        width,
      )
      const box = await page.locator('iframe').boundingBox()
      const around = await pane().boundingBox()
      expect(box?.width).to.be.at.most(around?.width ?? 0)
    }
  })

  it('toggles by a shortcut, and keeps its state', async () => {
    await open('By a key')
    await titleOf(page).focus()
    await page.keyboard.press('Control+Alt+p')
    await pane().waitFor({ state: 'detached' })
    await page.reload()
    await titleOf(page).waitFor()
    expect(await pane().count()).to.equal(0)
    await page.keyboard.press('Control+Alt+p')
    await shown().getByRole('heading', { name: 'By a key' }).waitFor()
    const button = page.getByRole('button', { name: 'Preview', pressed: true })
    expect(await button.count()).to.equal(1)
  })

  it('passes axe, and replaces the form on a phone', async () => {
    await open('Everywhere')
    await shown().getByRole('heading', { name: 'Everywhere' }).waitFor()
    await expectAccessible(page, 'preview')
    await page.setViewportSize({ width: 360, height: 740 })
    await titleOf(page).waitFor({ state: 'hidden' })
    await expectNoSidewaysScrolling(page, 'preview on a phone')
    await page.getByRole('button', { name: 'Preview' }).click()
    await titleOf(page).waitFor()
  })

  it('is hidden for types without a preview', async () => {
    await page.goto(`${server.address}/studio/content/persons/new`)
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    expect(await page.getByRole('button', { name: 'Preview' }).count()).to.equal(0)
  })
})
