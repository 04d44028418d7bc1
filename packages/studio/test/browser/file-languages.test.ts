import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { chooseGerman, editorBefore, fieldAt, openPiece, PIECE, untilStored } from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

interface StoredFile {
  readonly id: number
  readonly alternativeText: string | null
  readonly caption: string | null
  readonly translations?: unknown
}

describeInBrowser('the texts of a file in several languages', () => {
  let server: Server
  let page: Page
  let documentId: string
  let fileId: number
  editorBefore((opened) => {
    ;({ server } = opened)
    ;({ page } = opened.window)
  })
  before(async () => {
    await page.goto(`${server.address}/studio/media`)
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    const buffer = await sharp({
      create: { width: 80, height: 60, channels: 3, background: '#36a' },
    })
      .png()
      .toBuffer()
    await (await chooser).setFiles([{ name: 'lake.png', mimeType: 'image/png', buffer }])
    await page.getByRole('row', { name: 'lake.png' }).waitFor()
    fileId = (await server.ask('GET', '/admin/files')).data[0].id
    const data = { title: 'A lake', cover: fileId }
    documentId = (await server.ask('POST', PIECE, { data })).data.documentId
    const german = { title: 'Ein See', cover: fileId }
    await server.ask('PUT', `${PIECE}/${documentId}?locale=de`, { data: german })
  })

  const stored = async (): Promise<object> => {
    const file = (await server.ask('GET', `/admin/files/${fileId}`)).data as StoredFile
    const { alternativeText, caption, translations = null } = file
    return { alternativeText, caption, translations }
  }
  const drawer = (): Locator => page.getByRole('dialog', { name: 'lake.png' })
  const language = (): Locator =>
    drawer().getByRole('button', { name: /^(.* )?Language of the texts/ })
  const details = (): Locator =>
    fieldAt(page, 'cover').getByRole('button', { name: /^lake\.png \d/ })
  const warning = (): Locator =>
    page.getByRole('button', { name: '1 picture has no alternative text' })
  const openGerman = async (): Promise<void> => {
    await page.goto(`${server.address}/studio/content/pieces/${documentId}?locale=de`)
    await details().waitFor()
  }
  const close = async (): Promise<void> => {
    await page.keyboard.press('Enter')
    await drawer().waitFor({ state: 'detached' })
  }

  it('begin with the language of the entry, which then describes its picture', async () => {
    await openGerman()
    await warning().waitFor()
    await details().click()
    await language().getByText('German').waitFor()
    await drawer().getByText('Without a text here, the one of “All languages” is shown.').waitFor()
    await expectAccessible(page, 'texts of a file')
    await takePicture(page, 'file-languages')
    await drawer().getByLabel('Alternative text').fill('Ein See')
    await close()
    await warning().waitFor({ state: 'detached' })
    expect(await details().textContent()).to.not.include('no alternative text')
    await untilStored(stored, {
      alternativeText: '',
      caption: '',
      translations: { de: { alternativeText: 'Ein See' } },
    })
    await page.reload()
    await details().waitFor()
    expect(await details().textContent()).to.not.include('no alternative text')
    expect(await warning().count()).to.equal(0)
  })

  it('are those of all languages in the default one, and still miss where none is', async () => {
    await openPiece(page, server, documentId)
    await warning().waitFor()
    await details().getByText('no alternative text').waitFor()
    await details().click()
    await language().getByText('All languages').waitFor()
    expect(await drawer().getByLabel('Alternative text').inputValue()).to.equal('')
    await drawer().getByLabel('Alternative text').fill('A lake')
    await close()
    await warning().waitFor({ state: 'detached' })
    await untilStored(stored, {
      alternativeText: 'A lake',
      caption: '',
      translations: { de: { alternativeText: 'Ein See' } },
    })
  })

  it('are changed together by keyboard in the media library, and removed when emptied', async () => {
    await page.goto(`${server.address}/studio/media`)
    await page.getByRole('row', { name: 'lake.png' }).click()
    await drawer().getByLabel('Caption').fill('Summer')
    await language().press('Enter')
    await page.getByRole('option', { name: 'German' }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await language().getByText('German').waitFor()
    expect(await drawer().getByLabel('Alternative text').inputValue()).to.equal('Ein See')
    expect(await drawer().getByLabel('Caption').inputValue()).to.equal('')
    await drawer().getByLabel('Caption').fill(' Sommer ')
    await drawer().getByLabel('Alternative text').fill('')
    const saves: string[] = []
    page.on('request', (sent) => {
      if (sent.method() === 'PUT') saves.push(sent.url())
    })
    await close()
    await untilStored(stored, {
      alternativeText: 'A lake',
      caption: 'Summer',
      translations: { de: { caption: 'Sommer' } },
    })
    expect(saves).to.have.length(1)
  })

  it('keep texts of other languages that another editor has changed meanwhile', async () => {
    await page.getByRole('row', { name: 'lake.png' }).click()
    await language().waitFor()
    const translations = { de: { alternativeText: 'Ein Bergsee' } }
    await server.ask('PUT', `/admin/files/${fileId}`, { translations })
    await drawer().getByLabel('Alternative text').fill('A mountain lake')
    await close()
    await untilStored(stored, {
      alternativeText: 'A mountain lake',
      caption: 'Summer',
      translations: { de: { caption: 'Sommer', alternativeText: 'Ein Bergsee' } },
    })
  })

  it('fit on a phone in German', async () => {
    await chooseGerman(page, server)
    await page.setViewportSize({ width: 320, height: 640 })
    await openGerman()
    await details().click()
    await drawer()
      .getByRole('button', { name: /Sprache der Texte/ })
      .waitFor()
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('#file input[value="Ein Bergsee"]') !== null,
    )
    await expectNoSidewaysScrolling(page, 'texts of a file in German')
    await expectAccessible(page, 'texts of a file in German')
    await takePicture(page, 'file-languages-phone')
  })
})
