import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import { chooseGerman, editorBefore, fieldAt, openPiece, PIECE, untilSaved } from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

const FILES_PER_PAGE = 60

describeInBrowser('the files of an entry', () => {
  let server: Server
  let window: Window
  let page: Page
  let documentId: string
  editorBefore((opened) => {
    ;({ server, window } = opened)
    page = window.page
  })
  before(async () => {
    documentId = (await server.ask('POST', PIECE, { data: { title: 'With pictures' } })).data
      .documentId
    await openPiece(page, server, documentId)
    await upload('cover', ['front.png'])
    await upload('gallery', ['one.png', 'two.png'])
    await untilSaved(page)
  })

  const upload = async (place: string, names: readonly string[]): Promise<void> => {
    const chooser = page.waitForEvent('filechooser')
    await fieldAt(page, place).getByRole('button', { name: 'Upload' }).click()
    const buffer = await picture()
    await (await chooser).setFiles(names.map((name) => ({ name, mimeType: 'image/png', buffer })))
    for (const name of names)
      await detailsOf(place, name)
        .getByText(/80 × 60/)
        .waitFor()
  }
  const picture = (): Promise<Buffer> =>
    sharp({ create: { width: 80, height: 60, channels: 3, background: '#a33' } })
      .png()
      .toBuffer()
  const detailsOf = (place: string, name: string): Locator =>
    fieldAt(page, place).getByRole('button', { name: new RegExp(`^${name} \\d`) })
  const drawer = (name: string): Locator => page.getByRole('dialog', { name })
  const warning = (count: number): Locator =>
    page.getByRole('complementary').getByRole('button', {
      name: count === 1 ? '1 picture has no alternative text' : `${count} pictures have no`,
    })
  const describeFile = async (place: string, name: string, text: string): Promise<void> => {
    await detailsOf(place, name).click()
    await drawer(name).getByLabel('Alternative text').fill(text)
    await page.keyboard.press('Enter')
    await drawer(name).waitFor({ state: 'detached' })
  }

  it('open at their place, and show changes there at once, without an unsaved change', async () => {
    const saves: string[] = []
    page.on('request', (sent) => {
      if (sent.method() === 'PUT' && sent.url().includes('/admin/content/')) saves.push(sent.url())
    })
    await warning(3).waitFor()
    await detailsOf('cover', 'front.png').getByText('no alternative text').waitFor()
    await detailsOf('cover', 'front.png').click()
    const opened = drawer('front.png')
    await opened.getByText('Used in').waitFor()
    await expectAccessible(page, 'file of an entry')
    await takePicture(page, 'entry-file')
    expect(await opened.getByRole('button', { name: 'Delete' }).count()).to.equal(0)
    await opened.getByLabel('Alternative text').fill('A red wall')
    await page.keyboard.press('Enter')
    await opened.waitFor({ state: 'detached' })
    expect(await detailsOf('cover', 'front.png').textContent()).to.not.include('no alternative')
    await warning(2).waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).to.include('front.png')
    await page.reload()
    await warning(2).waitFor()
    const stored = await server.ask('GET', `${PIECE}/${documentId}?populate=cover`)
    expect(stored.data.cover.alternativeText).to.equal('A red wall')
    expect(saves).to.deep.equal([])
  })

  it('take the values of now, although the form is older', async () => {
    const { data } = await server.ask('GET', `${PIECE}/${documentId}?populate=cover`)
    await server.ask('PUT', `/admin/files/${data.cover.id}`, { caption: 'By another editor' })
    await describeFile('cover', 'front.png', 'A wall')
    const stored = await server.ask('GET', `${PIECE}/${documentId}?populate=cover`)
    expect(stored.data.cover).to.include({
      caption: 'By another editor',
      alternativeText: 'A wall',
    })
  })

  it('lead from the warning to the first picture, until each has a text', async () => {
    await warning(2).click()
    await page.waitForFunction(
      () => document.activeElement?.closest('[data-field="gallery"]') instanceof HTMLElement,
    )
    await describeFile('gallery', 'one.png', 'The first')
    await warning(1).waitFor()
    await describeFile('gallery', 'two.png', 'The second')
    await warning(1).waitFor({ state: 'detached' })
  })

  it('are cropped at their place, without an unsaved change', async () => {
    await detailsOf('gallery', 'one.png').click()
    await drawer('one.png').getByRole('button', { name: 'Crop' }).click()
    const dialog = page.getByRole('dialog', { name: 'Crop one.png' })
    await dialog.getByRole('application').focus()
    for (let pressed = 0; pressed < 5; pressed += 1) await page.keyboard.press('Shift+ArrowLeft')
    await dialog.getByRole('application', { name: /^Frame: 75 × 60 pixels/ }).waitFor()
    await dialog.getByRole('button', { name: 'Save crop' }).click()
    await dialog.waitFor({ state: 'detached' })
    await drawer('one.png').getByRole('button', { name: 'Close' }).click()
    await detailsOf('gallery', 'one.png')
      .getByText(/75 × 60/)
      .waitFor()
    const stored = await server.ask('GET', `${PIECE}/${documentId}?populate=gallery`)
    const gallery = stored.data.gallery as readonly { readonly name: string }[]
    const cropped = gallery.find(({ name }) => name === 'one.png')
    expect(cropped).to.include({ width: 75, height: 60 })
  })

  it('are chosen from folders, across searches, or uploaded', async () => {
    const files = (await server.ask('GET', '/admin/files')).data as readonly {
      documentId: string
      name: string
    }[]
    const front = files.find(({ name }) => name === 'front.png')?.documentId
    const { data: folder } = await server.ask('POST', '/admin/folders', { name: 'Walls' })
    await server.ask('POST', '/admin/files/move', { ids: [front], folder: folder.id })
    await openPiece(page, server, documentId)
    const gallery = fieldAt(page, 'gallery')
    await gallery.getByRole('button', { name: 'Choose from media' }).click()
    const chooser = page.getByRole('dialog', { name: 'Choose from media' })
    const found = (name: string): Locator => chooser.getByRole('row', { name })
    await found('one.png').waitFor()
    await expectAccessible(page, 'choose from media')
    await takePicture(page, 'file-choice')
    await chooser.getByRole('button', { name: 'Folder' }).click()
    await page.getByRole('option', { name: 'Walls' }).click()
    await found('one.png').waitFor({ state: 'detached' })
    await found('front.png').click()
    await chooser.getByRole('button', { name: 'Folder' }).click()
    await page.getByRole('option', { name: 'In no folder' }).click()
    await found('one.png').waitFor()
    expect(await found('front.png').count()).to.equal(0)
    await chooser.getByRole('searchbox').fill('two')
    await found('one.png').waitFor({ state: 'detached' })
    await chooser.getByRole('button', { name: 'Add 1 file' }).click()
    await detailsOf('gallery', 'front.png').waitFor()
    await gallery.getByRole('button', { name: 'Choose from media' }).click()
    const native = page.waitForEvent('filechooser')
    await chooser.getByRole('button', { name: 'Upload' }).click()
    const buffer = await picture()
    await (await native).setFiles([{ name: 'new.png', mimeType: 'image/png', buffer }])
    await chooser.waitFor({ state: 'detached' })
    await detailsOf('gallery', 'new.png').waitFor()
    await untilSaved(page)
    await gallery.getByRole('button', { name: 'Remove front.png' }).click()
    await gallery.getByRole('button', { name: 'Remove new.png' }).click()
    await untilSaved(page)
  })

  it('are chosen from a library of more than one page', async () => {
    await page.evaluate(
      async ([encoded, count]) => {
        const bytes = Uint8Array.from(atob(encoded), (letter) => letter.codePointAt(0) ?? 0)
        for (let made = 0; made < count; made += 1) {
          const body = new FormData()
          body.append('files', new File([bytes], `many-${made}.png`, { type: 'image/png' }))
          const { status } = await fetch('/admin/files', { method: 'POST', body })
          if (status !== 201) throw new Error(String(status))
        }
      },
      [(await picture()).toString('base64'), FILES_PER_PAGE] as const,
    )
    const cover = fieldAt(page, 'cover')
    await cover.getByRole('button', { name: 'Choose from media' }).click()
    const chooser = page.getByRole('dialog', { name: 'Choose from media' })
    await chooser.getByRole('row', { name: 'many-59.png' }).waitFor()
    expect(await chooser.getByRole('row', { name: 'two.png' }).count()).to.equal(0)
    await chooser.getByRole('button', { name: 'Show more' }).click()
    await chooser.getByRole('row', { name: 'two.png' }).click()
    await detailsOf('cover', 'two.png').waitFor()
    expect(await cover.getByRole('button', { name: /^front.png/ }).count()).to.equal(0)
    await cover.getByRole('button', { name: 'Choose from media' }).click()
    await chooser.getByRole('searchbox').fill('front')
    await chooser.getByRole('row', { name: 'front.png' }).click()
    await detailsOf('cover', 'front.png').waitFor()
    await untilSaved(page)
  })

  it('say that a file is gone, with a keyboard, on a phone and in German', async () => {
    const { data } = await server.ask('GET', `${PIECE}/${documentId}?populate=cover`)
    await server.ask('DELETE', `/admin/files/${data.cover.id}`)
    await detailsOf('cover', 'front.png').press('Enter')
    await drawer('front.png').getByRole('button', { name: 'Try again' }).waitFor()
    await page.keyboard.press('Escape')
    await drawer('front.png').waitFor({ state: 'detached' })
    await upload('gallery', ['three.png'])
    await untilSaved(page)
    await chooseGerman(page, server)
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(`${server.address}/studio/content/pieces/${documentId}`)
    await page.getByRole('button', { name: '1 Bild ohne Alternativtext' }).waitFor()
    await detailsOf('gallery', 'three.png').click()
    await drawer('three.png').getByLabel('Alternativtext').waitFor()
    await expectNoSidewaysScrolling(page, 'file of an entry')
    await expectAccessible(page, 'file of an entry in German')
    await takePicture(page, 'entry-file-phone')
  })
})
