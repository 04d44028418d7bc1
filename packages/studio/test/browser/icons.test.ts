import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { chooseGerman, editorBefore, fieldAt, openAs, openPiece, PIECE } from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('icons', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const navigation = () => page.getByRole('navigation', { name: 'Main navigation' })

  it('are in front of each link of the navigation', async () => {
    const links = await navigation().getByRole('link').all()
    expect(links.length).to.be.above(7)
    for (const link of links) await drawing(link).waitFor()
  })

  it('fit their frames', async () => {
    const misfits = await page.evaluate(() =>
      [...document.querySelectorAll<SVGPathElement>('svg[viewBox="0 0 24 24"] path')]
        .map((path) => ({ drawn: path.getAttribute('d'), box: path.getBBox() }))
        .filter(
          ({ box: { x, y, width, height } }) => x < 0 || y < 0 || x + width > 24 || y + height > 24,
        ),
    )
    expect(misfits).to.deep.equal([])
  })

  it('are chosen by the content-type, with a default for others', async () => {
    // The set of declared icons loads after the page.
    await page.waitForFunction(
      () => document.querySelector('nav a[href$="/persons"] path:not([d=""])') !== null,
    )
    const shapes = await Promise.all(
      ['Persons', 'Pieces', 'Wides'].map((name) =>
        drawing(navigation().getByRole('link', { name })).getAttribute('d'),
      ),
    )
    expect(new Set(shapes).size).to.equal(2)
    expect(shapes[1]).to.equal(shapes[2])
  })

  it('are in front of each line of the palette', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox', { name: 'Search or go to' }).fill('p')
    const lines = page.getByRole('menuitem')
    await lines.filter({ hasText: 'New piece' }).waitFor()
    for (const line of await lines.all()) await drawing(line).waitFor()
    await expectAccessible(page, 'palette')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('are in the component picker, with the description of each component', async () => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Parts' } })).data
    await openPiece(page, server, documentId)
    await fieldAt(page, 'sections').getByRole('button', { name: 'Add' }).click()
    const quote = page.getByRole('menuitem', { name: 'Quote' })
    await quote.getByText('A sentence of somebody').waitFor()
    for (const item of await page.getByRole('menuitem').all()) await drawing(item).waitFor()
    await expectAccessible(page, 'component picker')
    await quote.click()
    await fieldAt(page, 'sections').getByRole('group', { name: /Quote/ }).waitFor()
  })

  it('are in front of the attributes in a filter', async () => {
    await page.goto(`${server.address}/studio/content/pieces`)
    await page.getByRole('button', { name: '+ Filter' }).click()
    await page.getByRole('button', { name: 'Attribute' }).click()
    const options = await page.getByRole('option').all()
    expect(options.length).to.be.above(10)
    for (const option of options) await drawing(option).first().waitFor()
  })
})

describeInBrowser('the theme', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const shown = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
  const untilShown = (scheme: string) =>
    page.waitForFunction(
      (wanted) => getComputedStyle(document.documentElement).colorScheme === wanted,
      scheme,
    )
  const isStored = () =>
    page.waitForResponse(
      (response) => response.url().endsWith('/admin/me') && response.request().method() === 'PUT',
    )

  it('follows the device until one is chosen', async () => {
    expect(await shown()).to.equal('light dark')
    const colours: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      colours.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor))
    }
    expect(new Set(colours).size).to.equal(2)
    await page.emulateMedia({ colorScheme: 'light' })
  })

  it('is chosen by the keyboard in the account menu, and kept for the person', async () => {
    const account = page.getByRole('button', { name: 'Ada' })
    await account.focus()
    await page.keyboard.press('Enter')
    const dark = page.getByRole('menuitemradio', { name: 'Dark' })
    await dark.waitFor()
    await expectAccessible(page, 'account menu')
    const stored = isStored()
    await page.keyboard.type('Dark')
    await page.waitForFunction(() => document.activeElement?.textContent === 'Dark')
    await page.keyboard.press('Enter')
    expect((await stored).status()).to.equal(200)
    await untilShown('dark')
    await page.reload()
    await untilShown('dark')
    const elsewhere = await openAs(server, 'Ada')
    try {
      await elsewhere.page.waitForFunction(
        () => getComputedStyle(document.documentElement).colorScheme === 'dark',
      )
    } finally {
      await elsewhere.close()
    }
  })

  it('is that of the previous visit on the sign-in page', async () => {
    const stranger = await openAs(server, 'Grace')
    try {
      await stranger.page.waitForFunction(
        () => getComputedStyle(document.documentElement).colorScheme === 'light dark',
      )
    } finally {
      await stranger.close()
    }
    await page.context().clearCookies()
    await page.goto(`${server.address}/studio/sign-in`)
    await page.getByLabel('E-mail').waitFor()
    expect(await shown()).to.equal('dark')
  })

  it('is a setting of the account in German as well', async () => {
    const window = await openAs(server, 'Grace')
    try {
      page = window.page
      await chooseGerman(page, server)
      const stored = isStored()
      await page.getByRole('button', { name: 'Farbschema' }).click()
      await page.getByRole('option', { name: 'Dunkel' }).click()
      await untilShown('dark')
      await stored
      await expectAccessible(page, 'account, dark')
    } finally {
      await window.close()
    }
  })
})

function drawing(within: Locator): Locator {
  return within.locator('svg path').first()
}
