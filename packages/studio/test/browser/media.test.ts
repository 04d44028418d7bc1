import { expect } from 'chai'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { untilStored } from './editors.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

const picture = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 800, height: 600, channels: 3, background } })
    .png()
    .toBuffer()

describeInBrowser('the media screen', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
    await page.getByRole('link', { name: 'Media' }).click()
    await page.getByRole('heading', { level: 1, name: 'Media' }).waitFor()
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const file = (name: string) => page.getByRole('row', { name })
  const upload = async (names: readonly string[]): Promise<void> => {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    const files = names.map(async (name) => ({
      name,
      mimeType: 'image/png',
      buffer: await picture(name === 'red.png' ? '#a33' : '#38a'),
    }))
    await (await chooser).setFiles(await Promise.all(files))
    for (const name of names) await file(name).waitFor()
  }

  it('explains an empty library, and uploads several files at once', async () => {
    await page.getByText('No files here yet').waitFor()
    await expectAccessible(page, 'no media')
    await upload(['red.png', 'blue.png'])
    await page.getByText('2 files').waitFor()
    await expectAccessible(page, 'media')
  })

  it('uploads dropped and pasted files', async () => {
    const bytes = (await picture('#3a3')).toString('base64')
    await page.evaluate((encoded) => {
      const data = new DataTransfer()
      const file = Uint8Array.from(atob(encoded), (letter) => letter.codePointAt(0) ?? 0)
      data.items.add(new File([file], 'pasted.png', { type: 'image/png' }))
      document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
    }, bytes)
    await file('pasted.png').waitFor()
  })

  it('saves the alternative text, the caption and the focal point', async () => {
    await file('red.png').click()
    const drawer = page.getByRole('dialog', { name: 'red.png' })
    await drawer.getByLabel('Alternative text').fill('A red square')
    // The installation has one language.
    expect(await drawer.getByText('Language of the texts').count()).to.equal(0)
    await drawer.getByLabel('Caption').fill('Red')
    await drawer.getByRole('button', { name: /Focal point/ }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowUp')
    await expectAccessible(page, 'file')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.waitFor({ state: 'detached' })
    const [red] = (await server.ask('GET', '/admin/files?search=red')).data
    expect(red).to.include({ alternativeText: 'A red square', caption: 'Red' })
    expect(red.focalPoint).to.deep.equal({ x: 52, y: 48 })
  })

  it('makes a file private, marks it, and still shows its picture', async () => {
    await file('red.png').click()
    const drawer = page.getByRole('dialog', { name: 'red.png' })
    await drawer.getByText(/^Private file/).click()
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.waitFor({ state: 'detached' })
    await file('red.png').getByRole('img', { name: 'Private' }).waitFor()
    const picture = file('red.png').locator('img[src*="signature="]')
    await picture.waitFor()
    await picture.evaluate((image: HTMLImageElement) => image.decode())
    await file('red.png').click()
    await drawer.getByText(/^Private file/).click()
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.waitFor({ state: 'detached' })
    await file('red.png').getByRole('img', { name: 'Private' }).waitFor({ state: 'detached' })
  })

  it('lists the entries that use a file, and warns before its deletion', async () => {
    const [blue] = (await server.ask('GET', '/admin/files?search=blue')).data
    await server.ask('POST', '/api/articles', {
      data: { title: 'With a cover', slug: 'with-a-cover', body: 'Text', cover: blue.id },
    })
    await file('blue.png').click()
    const drawer = page.getByRole('dialog', { name: 'blue.png', exact: true })
    await drawer.getByRole('link', { name: 'With a cover' }).first().waitFor()
    await drawer.getByRole('button', { name: 'Delete' }).click()
    await page.getByText(/will no longer show it/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await drawer.getByRole('button', { name: 'Close' }).click()
  })

  it('filters files by name, kind and use', async () => {
    await page.getByRole('searchbox', { name: 'Search' }).fill('blu')
    await file('red.png').waitFor({ state: 'detached' })
    await file('blue.png').waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('')
    await page.getByText('Not used').click()
    await file('blue.png').waitFor({ state: 'detached' })
    await file('red.png').waitFor()
    await page.getByText('Not used').click()
    await file('blue.png').waitFor()
  })

  it('moves files to folders', async () => {
    await page.getByRole('button', { name: 'New folder' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Squares')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: /^Squares/ }).waitFor()
    await file('red.png').hover()
    await file('red.png').locator('label').click()
    await page.getByRole('button', { name: 'Move' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move 1 file to' })
    await dialog.getByRole('button', { name: 'Folder' }).click()
    await page.getByRole('option', { name: 'Squares' }).click()
    await dialog.getByRole('button', { name: 'Move' }).click()
    await file('red.png').waitFor({ state: 'detached' })
    await page.getByText('1 file moved').waitFor()
    await page.keyboard.press('Control+z')
    await file('red.png').waitFor()
    await file('red.png').hover()
    await file('red.png').locator('label').click()
    await page.getByRole('button', { name: 'Move' }).click()
    await dialog.getByRole('button', { name: 'Folder' }).click()
    await page.getByRole('option', { name: 'Squares' }).click()
    await dialog.getByRole('button', { name: 'Move' }).click()
    await file('red.png').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Squares/ }).click()
    await file('red.png').waitFor()
    await upload(['orange.png'])
    await page.getByRole('button', { name: 'Media', exact: true }).click()
    await file('blue.png').waitFor()
    expect(await file('orange.png').count()).to.equal(0)
  })

  it('deletes selected files after a confirmation', async () => {
    await file('pasted.png').hover()
    await file('pasted.png').locator('label').click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 1 file?' })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await file('pasted.png').waitFor({ state: 'detached' })
  })

  it('sorts files, and keeps the order in the URL', async () => {
    await page.goto(`${server.address}/studio/media?q=png`)
    const order = () => page.getByRole('button', { name: /^Order|Order$/ })
    await order().click()
    await page.getByRole('option', { name: 'By name' }).click()
    await page.waitForURL(/sort=name/)
    const names = async (): Promise<readonly string[]> => {
      const texts = await page.getByRole('row').allTextContents()
      return texts.flatMap((text) => /\w+\.png/.exec(text)?.[0] ?? [])
    }
    const { data } = await server.ask('GET', '/admin/files?search=png&sort=name:asc')
    const sorted = data.map(({ name }: { readonly name: string }) => name)
    await untilStored(names, sorted)
    expect(sorted.length).to.be.above(1)
    await page.reload()
    await untilStored(names, sorted)
    await order().click()
    await page.getByRole('option', { name: 'Newest first' }).click()
    await page.waitForURL((url) => !url.search.includes('sort'))
    await page.getByRole('listbox').waitFor({ state: 'detached' })
  })

  it('switches to a list, and fits 360 pixels', async () => {
    await page.getByRole('button', { name: 'Show as a list' }).click()
    await file('blue.png').waitFor()
    await expectAccessible(page, 'media as a list')
    await page.setViewportSize({ width: 360, height: 720 })
    await expectNoSidewaysScrolling(page, 'media')
  })

  it('logs no browser errors', () => {
    expect(window.complaints).to.deep.equal([])
  })
})
