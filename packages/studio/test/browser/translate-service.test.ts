import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { chooseGerman, PIECE, TYPES } from './editors.ts'
import { takePicture } from './pictures.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

/** Translates into capitals, except texts that say how the service fails. */
const CONFIG = `const capitals = ({ text }) =>
  text.replaceAll(/(<[^>]*>)|[^<]+/g, (found, tag) => tag ?? found.toUpperCase())
const provider = {
  name: 'Capitals',
  async translate({ texts }) {
    if (texts.some(({ text }) => text === 'Out of order')) throw new Error('out of order')
    return texts.map(capitals)
  },
}
export default { extensions: [{ name: 'capitals', providers: { translate: () => provider } }] }
`

describeInBrowser('translation by a service', () => {
  let server: Server
  let window: Window
  let page: Page
  let folder: string
  const ids: string[] = []
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-translated-'))
    writeFileSync(path.join(folder, 'quire.config.mjs'), CONFIG)
    const env = { CONTENT_TYPES_DIR: TYPES }
    server = await startServer(env, 'dist/src/server/main.js', undefined, folder)
    await server.ask('POST', '/admin/locales', { code: 'de' })
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
    for (const title of ['Blue whales', 'Red foxes', 'Out of order']) {
      const data = { title, teaser: `About ${title}` }
      ids.push((await server.ask('POST', PIECE, { data })).data.documentId)
    }
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  const dialog = (name = 'Translate with Capitals'): Locator => page.getByRole('dialog', { name })
  const german = async (documentId = ids[0] ?? ''): Promise<Record<string, never>> =>
    (await server.ask('GET', `${PIECE}/${documentId}?locale=de&populate=*`)).data
  const select = async (...titles: readonly string[]): Promise<void> => {
    await page.goto(`${server.address}/studio/content/pieces`)
    for (const title of titles) {
      const row = page.getByRole('row').filter({ hasText: title })
      await row.waitFor()
      await row.locator('label').click()
    }
  }

  it('translates the selected entries of a list, and stores the chosen texts as drafts', async () => {
    await select('Blue whales', 'Red foxes')
    await page.getByRole('button', { name: 'Translate with Capitals' }).click()
    await dialog().getByText('The texts are sent to Capitals.').waitFor()
    await expectAccessible(page, 'translate with a service')
    await takePicture(page, 'translate-service')
    await dialog().getByRole('button', { name: 'Translate', exact: true }).click()
    const foxes = dialog().getByRole('region', { name: 'Red foxes' })
    await foxes.getByText('RED FOXES', { exact: true }).waitFor()
    await expectAccessible(page, 'translations of a service')
    await takePicture(page, 'translate-service-compared')
    await foxes.getByRole('checkbox', { name: 'Teaser: New' }).press('Space')
    await dialog().getByRole('button', { name: 'Import 3 texts' }).click()
    await dialog().getByRole('link', { name: 'Red foxes (German)' }).waitFor()
    expect(await german()).to.deep.include({ title: 'BLUE WHALES', publishedAt: null })
    expect(await german(ids[1])).to.deep.include({ title: 'RED FOXES', teaser: null })
  })

  it('translates the missing texts of an open entry, and shows them in its form', async () => {
    await page.goto(`${server.address}/studio/content/pieces/${ids[1]}?locale=de`)
    await page.getByRole('button', { name: 'Translate with Capitals' }).click()
    await dialog().getByRole('button', { name: 'Translate', exact: true }).click()
    await dialog().getByRole('checkbox', { name: 'Teaser: New' }).waitFor()
    expect(await dialog().getByRole('listitem').count(), 'the title has a translation').to.equal(1)
    await dialog().getByRole('button', { name: 'Import 1 text' }).click()
    await dialog().getByRole('button', { name: 'Close' }).last().click()
    await dialog().waitFor({ state: 'detached' })
    await page.waitForFunction(() =>
      [...document.querySelectorAll('textarea, input')].some(
        (field) => (field as HTMLInputElement).value === 'ABOUT RED FOXES',
      ),
    )
  })

  it('says that all texts have a translation, and translates them again on demand', async () => {
    await page.getByRole('button', { name: 'Translate with Capitals' }).click()
    await dialog().getByRole('button', { name: 'Translate', exact: true }).click()
    await dialog().getByText('This entry has no texts left to translate.').waitFor()
    await dialog().getByRole('button', { name: 'Back' }).click()
    await dialog().getByText('Also texts that have a translation').click()
    await dialog().getByRole('button', { name: 'Translate', exact: true }).click()
    await dialog().getByText('2 texts without changes').waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })

  it('shows the translations before a failure, and says that the service failed', async () => {
    await select('Out of order', 'Blue whales')
    await page.getByRole('button', { name: 'Translate with Capitals' }).click()
    await dialog().getByText('Also texts that have a translation').click()
    await dialog().getByRole('button', { name: 'Translate', exact: true }).click()
    const problem = dialog().getByRole('alert')
    await problem.filter({ hasText: 'The translation service does not respond' }).waitFor()
    await expectAccessible(page, 'a service that failed')
    const { data } = await server.ask('GET', `${PIECE}/${ids[2]}/locales`)
    expect(data).to.have.length(1)
  })

  it('works in German on a phone', async () => {
    await chooseGerman(page, server)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${server.address}/studio/content/pieces/${ids[0]}?locale=de`)
    await page.getByRole('button', { name: 'Mit Capitals übersetzen' }).click()
    const german = dialog('Mit Capitals übersetzen')
    await german.getByText('Auch Texte, die schon übersetzt sind').click()
    await expectNoSidewaysScrolling(page, 'translate with a service')
    await takePicture(page, 'translate-service-phone')
    await german.getByRole('button', { name: 'Übersetzen', exact: true }).click()
    await german.getByText('2 Texte ohne Änderung').waitFor()
    await expectAccessible(page, 'translations of a service on a phone')
  })

  it('logs no browser errors but the failed request', () => {
    expect(window.complaints.filter((text) => !text.includes('503'))).to.deep.equal([])
  })
})
