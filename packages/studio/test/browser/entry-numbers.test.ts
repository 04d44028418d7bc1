import { expect } from 'chai'
import { describeInBrowser, type Window } from './browser.ts'
import {
  chooseGerman,
  fieldAt,
  openAs,
  openPiece,
  PIECE,
  startWithEditors,
  untilStored,
} from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('numbers in the Studio', () => {
  let server: Server
  let english: Window
  let german: Window
  before(async () => {
    server = await startWithEditors()
    english = await openAs(server, 'Ada')
    german = await openAs(server, 'Grace')
    await chooseGerman(german.page, server)
  })
  after(async () => {
    await english.close()
    await german.close()
    await server.stop()
  })

  const makePiece = async (data: object): Promise<string> =>
    (await server.ask('POST', PIECE, { data: { title: 'Of weight', ...data } })).data.documentId
  const stored = async (documentId: string) => {
    const { weight, price, pages } = (await server.ask('GET', `${PIECE}/${documentId}`)).data
    return { weight, price, pages }
  }

  for (const { language, typed, refused, weight } of [
    { language: 'en', typed: '1,234', refused: '1,5', weight: 1234 },
    { language: 'de', typed: '1.234', refused: '1.5', weight: 1234 },
    { language: 'de', typed: '1,234', refused: '1.23', weight: 1.234 },
  ]) {
    it(`reads ${typed} in ${language} as ${weight}`, async () => {
      const documentId = await makePiece({ price: 36110.25 })
      const { page } = language === 'en' ? english : german
      await page.goto(`${server.address}/studio/content/pieces/${documentId}`)
      const field = fieldAt(page, 'weight')
      const input = field.getByRole('textbox')
      await input.fill(typed)
      await field.getByRole('status').getByText(`= ${typed}`, { exact: true }).waitFor()
      await untilStored(async () => (await stored(documentId)).weight, weight)
      await input.fill(refused)
      await field.getByText(language === 'en' ? /^Not saved/ : /^Nicht gespeichert/).waitFor()
      await input.blur()
      expect(await input.inputValue()).to.equal(refused)
      expect((await stored(documentId)).weight).to.equal(weight)
    })
  }

  it('accepts a number copied from a list', async () => {
    const { page } = english
    const documentId = await makePiece({ weight: 36110.0625 })
    await page.goto(`${server.address}/studio/content/pieces`)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('dialog').getByText('Weight', { exact: true }).click()
    await page.keyboard.press('Escape')
    const shown = await page.getByText(/^36,110/).innerText()
    expect(shown).to.equal('36,110.0625')
    await openPiece(page, server, documentId)
    const inputOf = (name: string) => fieldAt(page, name).getByRole('textbox')
    expect(await inputOf('weight').inputValue()).to.equal(shown)
    await inputOf('price').fill(shown)
    await inputOf('pages').fill('36110')
    await inputOf('price').focus()
    expect(await inputOf('pages').inputValue()).to.equal('36,110')
    await untilStored(() => stored(documentId), {
      weight: 36110.0625,
      price: 36110.0625,
      pages: 36110,
    })
  })
})
