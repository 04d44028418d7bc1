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

describeInBrowser('the media', () => {
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

  it('says what to do where there is nothing, and takes many files at once', async () => {
    await page.getByText('No files here yet').waitFor()
    await expectAccessible(page, 'no media')
    await upload(['red.png', 'blue.png'])
    await page.getByText('2 files').waitFor()
    await expectAccessible(page, 'media')
  })

  it('takes what is dropped and what is pasted', async () => {
    const bytes = (await picture('#3a3')).toString('base64')
    await page.evaluate((encoded) => {
      const data = new DataTransfer()
      const file = Uint8Array.from(atob(encoded), (letter) => letter.codePointAt(0) ?? 0)
      data.items.add(new File([file], 'pasted.png', { type: 'image/png' }))
      document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
    }, bytes)
    await file('pasted.png').waitFor()
  })

  it('keeps what is said of a picture: alternative text, caption, focal point', async () => {
    await file('red.png').click()
    const drawer = page.getByRole('dialog', { name: 'red.png' })
    await drawer.getByLabel('Alternative text').fill('A red square')
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

  it('says where a file is used, and warns before it goes', async () => {
    const [blue] = (await server.ask('GET', '/admin/files?search=blue')).data
    await server.ask('POST', '/api/articles', {
      data: { title: 'With a cover', slug: 'with-a-cover', body: 'Text', cover: blue.id },
    })
    await file('blue.png').click()
    const drawer = page.getByRole('dialog', { name: 'blue.png', exact: true })
    await drawer.getByRole('link', { name: 'With a cover' }).first().waitFor()
    await drawer.getByRole('button', { name: 'Delete' }).click()
    await page.getByText(/will lose it/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await drawer.getByRole('button', { name: 'Close' }).click()
  })

  it('finds files by name, kind and use', async () => {
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

  it('has folders, into which files can be moved', async () => {
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

  it('deletes what is chosen, after asking', async () => {
    await file('pasted.png').hover()
    await file('pasted.png').locator('label').click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 1 file?' })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await file('pasted.png').waitFor({ state: 'detached' })
  })

  it('orders files as one likes, and keeps it in the address', async () => {
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

  it('is a list where one wants it, and fits 360 pixels', async () => {
    await page.getByRole('button', { name: 'Show as a list' }).click()
    await file('blue.png').waitFor()
    await expectAccessible(page, 'media as a list')
    await page.setViewportSize({ width: 360, height: 720 })
    await expectNoSidewaysScrolling(page, 'media')
  })

  it('makes no browser complain', () => {
    expect(window.complaints).to.deep.equal([])
  })
})
