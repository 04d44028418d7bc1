import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import { chooseGerman, openAs, PIECE, startWithEditors, titleOf, untilStored } from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('the languages of an entry', () => {
  let server: Server
  let ada: Window
  let page: Page
  before(async () => {
    server = await startWithEditors()
    for (const code of ['fr', 'it']) await server.ask('POST', '/admin/locales', { code })
    ada = await openAs(server, 'Ada')
    page = ada.page
  })
  after(async () => {
    await ada.close()
    await server.stop()
  })

  /** A piece in English and German, whose English title was changed after the translation. */
  async function make(): Promise<string> {
    const data = { title: 'Words', teaser: 'In short', quotes: [{ text: 'A quote' }] }
    const { documentId } = (await server.ask('POST', PIECE, { data })).data
    const german = { title: 'Wörter', teaser: 'Kurz' }
    await server.ask('PUT', `${PIECE}/${documentId}?locale=de`, { data: german })
    await server.ask('PUT', `${PIECE}/${documentId}`, { data: { title: 'New words' } })
    return documentId
  }
  const stored = async (documentId: string, locale: string) =>
    (await server.ask('GET', `${PIECE}/${documentId}?locale=${locale}&status=draft`)).data
  const open = async (documentId: string, locale: string): Promise<void> => {
    await page.goto(`${server.address}/studio/content/pieces/${documentId}?locale=${locale}`)
    await titleOf(page).waitFor()
  }
  const beside = (name: string): Locator =>
    page.getByRole('group', { name: `${name} in English`, exact: true })
  const showEnglish = async (): Promise<void> => {
    await page.getByRole('button', { name: /Show next to the fields/ }).click()
    await page.getByRole('option', { name: 'English' }).click()
    await beside('Title').waitFor()
  }

  it('shows another language field by field, and marks later changes', async () => {
    await open(await make(), 'de')
    await showEnglish()
    await beside('Title').getByText('New words').waitFor()
    await beside('Title').getByText('Changed since: now').waitFor()
    await beside('Teaser').getByText('In short').waitFor()
    await beside('Body').getByText('Not set').waitFor()
    expect(await page.getByRole('button', { name: 'Copy Body from English' }).count()).to.equal(0)
    expect(
      await beside('Teaser')
        .getByText(/Changed since/)
        .count(),
    ).to.equal(0)
    expect(await beside('Contact').count()).to.equal(0) // all languages share it
    const [field, other] = await Promise.all([
      titleOf(page).boundingBox(),
      beside('Title').boundingBox(),
    ])
    expect(other?.x).to.be.greaterThan((field?.x ?? 0) + (field?.width ?? 0) - 1)
    await expectAccessible(page, 'two languages')
    await page.setViewportSize({ width: 360, height: 720 })
    await expectNoSidewaysScrolling(page, 'two languages')
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('copies one field by keyboard and undoes it', async () => {
    const documentId = await make()
    await open(documentId, 'de')
    const copy = page.getByRole('button', { name: 'Copy Teaser from English' })
    await copy.focus()
    await page.keyboard.press('Enter')
    await untilStored(async () => (await stored(documentId, 'de')).teaser, 'In short')
    expect(await titleOf(page).inputValue()).to.equal('Wörter')
    await page.getByRole('button', { name: 'Undo' }).click()
    await untilStored(async () => (await stored(documentId, 'de')).teaser, 'Kurz')
  })

  it('copies all fields, and components as new ones', async () => {
    const documentId = await make()
    await open(documentId, 'de')
    await page.getByRole('button', { name: 'Copy all from English' }).click()
    await page.getByText(/^\d fields? copied from English$/).waitFor()
    expect(
      await beside('Title')
        .getByText(/Changed since/)
        .count(),
    ).to.equal(0)
    await untilStored(async () => (await stored(documentId, 'de')).title, 'New words')
    const read = async (locale: string) =>
      (
        await server.ask(
          'GET',
          `${PIECE}/${documentId}?locale=${locale}&status=draft&populate[quotes]=true`,
        )
      ).data.quotes
    const [english, german] = [await read('en'), await read('de')]
    expect(german.map(({ text }: { text: string }) => text)).to.deep.equal(['A quote'])
    expect(english).to.have.length(1)
    await page.getByRole('button', { name: 'Hide' }).click()
    await beside('Title').waitFor({ state: 'detached' })
  })

  it('begins several languages at once', async () => {
    const documentId = await make()
    await open(documentId, 'en')
    await page.getByRole('button', { name: 'Translate into several languages' }).click()
    const dialog = page.getByRole('dialog', { name: 'Translate into several languages' })
    await dialog.getByRole('checkbox', { name: 'French' }).waitFor()
    await expectAccessible(page, 'several languages')
    for (const name of ['French', 'Italian']) await dialog.getByText(name, { exact: true }).click()
    await dialog.getByRole('button', { name: 'Translate' }).click()
    await dialog.getByText('Select at least one language.').waitFor()
    for (const name of ['French', 'Italian']) await dialog.getByText(name, { exact: true }).click()
    await dialog.getByRole('button', { name: 'Translate' }).click()
    await page.getByText('2 translations started').waitFor()
    for (const code of ['fr', 'it']) {
      expect(await stored(documentId, code)).to.include({ title: 'New words', teaser: 'In short' })
    }
    await page.getByRole('link', { name: 'French' }).waitFor()
  })

  it('says all of this in German', async () => {
    const documentId = await make()
    const german = await openAs(server, 'Grace')
    await chooseGerman(german.page, server)
    const { page: own } = german
    await own.goto(`${server.address}/studio/content/pieces/${documentId}?locale=de`)
    await own.getByRole('button', { name: /Neben den Feldern zeigen/ }).click()
    await own.getByRole('option', { name: 'Englisch' }).click()
    const title = own.getByRole('group', { name: 'Title auf Englisch' })
    await title.getByText('Seitdem geändert: jetzt').waitFor()
    await own.getByRole('button', { name: 'Title aus Englisch übernehmen' }).click()
    await own.getByText('1 Feld aus Englisch übernommen').waitFor()
    await own.getByRole('button', { name: 'In mehrere Sprachen übersetzen' }).click()
    await own.getByRole('dialog').getByRole('checkbox', { name: 'Französisch' }).waitFor()
    await german.close()
  })

  it('logs no browser errors', () => {
    expect(ada.complaints).to.deep.equal([])
  })
})
