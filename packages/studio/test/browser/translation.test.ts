import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import { chooseGerman, editorBefore, PIECE } from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

const STORY = [
  {
    type: 'paragraph',
    children: [
      { type: 'text', text: 'They ' },
      { type: 'text', text: 'sing', bold: true },
    ],
  },
]

describeInBrowser('translation through files', () => {
  let server: Server
  let window: Window
  let page: Page
  const ids: string[] = []
  editorBefore((opened) => {
    ;({ server, window } = opened)
    page = window.page
  })
  before(async () => {
    for (const title of ['Blue whales', 'Red foxes']) {
      const data = { title, teaser: `About ${title}`, story: STORY, quotes: [{ text: 'first' }] }
      ids.push((await server.ask('POST', PIECE, { data })).data.documentId)
    }
  })

  const openList = async (heading = 'Pieces'): Promise<void> => {
    await page.goto(`${server.address}/studio/content/pieces`)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await page.getByRole('row').filter({ hasText: 'Blue whales' }).waitFor()
  }
  /** Exports both entries, and returns the file. */
  const exportFile = async (format: 'XLIFF 1.2' | 'JSON'): Promise<string> => {
    await openList()
    for (const title of ['Blue whales', 'Red foxes']) {
      await page.getByRole('row').filter({ hasText: title }).locator('label').click()
    }
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Export texts' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export 2 entries for translation' })
    if (format === 'JSON') {
      await dialog.getByRole('button', { name: 'Format' }).click()
      await page.getByRole('option', { name: 'JSON' }).click()
    } else {
      await expectAccessible(page, 'export texts')
      await takePicture(page, 'translation-export')
    }
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download' }).click(),
    ])
    await dialog.waitFor({ state: 'detached' })
    expect(download.suggestedFilename()).to.equal(
      `piece-en-de.${format === 'JSON' ? 'json' : 'xlf'}`,
    )
    return readFile(await download.path(), 'utf8')
  }
  const importDialog = (name = 'Import translations'): Locator => page.getByRole('dialog', { name })
  const compare = async (text: string, name = 'piece-en-de.xlf'): Promise<void> => {
    await openList()
    await page.getByRole('button', { name: 'More for Pieces' }).click()
    await page.getByRole('menuitem', { name: 'Import translations' }).click()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      importDialog().getByRole('button', { name: 'Choose a file' }).click(),
    ])
    await chooser.setFiles({ name, mimeType: 'text/xml', buffer: Buffer.from(text) })
    await importDialog().getByRole('button', { name: 'Another file' }).waitFor()
  }
  const capitals = (file: string): string =>
    file.replaceAll(
      /<source>(.*?)<\/source>\s*<target[^>]*?(?:\/>|>.*?<\/target>)/gs,
      (_, source: string) =>
        `<source>${source}</source><target>${source.replaceAll(/(<[^>]*>)|[^<]+/g, (found, tag?: string) => tag ?? found.toUpperCase())}</target>`,
    )
  const german = async (documentId = ids[0] ?? ''): Promise<Record<string, never>> =>
    (await server.ask('GET', `${PIECE}/${documentId}?locale=de&populate=*`)).data

  it('exports selected entries, compares the translated file and imports the chosen texts', async () => {
    const file = await exportFile('XLIFF 1.2')
    expect(file).to.include('<source>They <g id="1">sing</g></source>')
    await compare(capitals(file))
    const whales = importDialog().getByRole('region', { name: 'Blue whales' })
    await whales.getByText('ABOUT BLUE WHALES', { exact: true }).waitFor()
    await expectAccessible(page, 'compared translations')
    await takePicture(page, 'translation-compare')
    const foxes = importDialog().getByRole('region', { name: 'Red foxes' })
    await foxes.getByRole('checkbox', { name: 'Teaser: New' }).press('Space')
    await importDialog().getByRole('button', { name: 'Import 7 texts' }).click()
    await importDialog().getByRole('link', { name: 'Red foxes (German)' }).waitFor()
    await takePicture(page, 'translation-imported')
    expect(await german()).to.deep.include({ title: 'BLUE WHALES', publishedAt: null })
    expect(await german(ids[1])).to.deep.include({ title: 'RED FOXES', teaser: null })
    await importDialog().getByRole('link', { name: 'Blue whales (German)' }).click()
    await page.waitForFunction(() => location.search.includes('locale=de'))
  })

  it('selects no text whose original has changed, and takes it on demand', async () => {
    const file = capitals(await exportFile('JSON').then(() => exportFile('XLIFF 1.2')))
    await server.ask('PUT', `${PIECE}/${ids[0]}`, { data: { teaser: 'Something else' } })
    await compare(file.replaceAll('ABOUT', 'ÜBER'))
    const whales = importDialog().getByRole('region', { name: 'Blue whales' })
    const box = whales.getByRole('checkbox', { name: /^Teaser: The original has changed/ })
    expect(await box.isChecked()).to.equal(false)
    await whales.getByText('3 texts without changes').waitFor()
    await takePicture(page, 'translation-source-changed')
    await box.press('Space')
    await importDialog().getByRole('button', { name: 'Import 2 texts' }).click()
    await importDialog().getByRole('link', { name: 'Red foxes (German)' }).waitFor()
    expect(await german()).to.deep.include({ teaser: 'ÜBER BLUE WHALES' })
  })

  it('keeps a change of another editor since the comparison, and says so', async () => {
    const file = capitals(await exportFile('XLIFF 1.2')).replaceAll('BLUE', 'BLAUE')
    await compare(file)
    await server.ask('PUT', `${PIECE}/${ids[0]}?locale=de`, { data: { teaser: 'Anders' } })
    await importDialog()
      .getByRole('button', { name: /^Import \d texts?$/ })
      .click()
    await importDialog().getByText('1 entry was not imported').waitFor()
    expect(await german()).to.deep.include({ title: 'BLUE WHALES', teaser: 'Anders' })
  })

  it('says why a file cannot be read', async () => {
    await openList()
    await page.getByRole('button', { name: 'More for Pieces' }).click()
    await page.getByRole('menuitem', { name: 'Import translations' }).click()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      importDialog().getByRole('button', { name: 'Choose a file' }).click(),
    ])
    const buffer = Buffer.from('no file of a translator')
    await chooser.setFiles({ name: 'x.json', mimeType: 'application/json', buffer })
    await importDialog().getByRole('alert').filter({ hasText: /\S/ }).waitFor()
    await expectAccessible(page, 'unreadable translations')
  })

  it('works in German on a phone', async () => {
    const file = capitals(await exportFile('XLIFF 1.2')).replaceAll('FOXES', 'FÜCHSE')
    await chooseGerman(page, server)
    await page.setViewportSize({ width: 390, height: 844 })
    await openList()
    await page.getByRole('button', { name: 'Mehr zu Pieces' }).click()
    await page.getByRole('menuitem', { name: 'Übersetzungen importieren' }).click()
    const dialog = importDialog('Übersetzungen importieren')
    await takePicture(page, 'translation-phone-choose')
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'Datei auswählen' }).click(),
    ])
    await chooser.setFiles({ name: 'a.xlf', mimeType: 'text/xml', buffer: Buffer.from(file) })
    await dialog
      .getByRole('region', { name: 'Red foxes' })
      .getByText('RED FÜCHSE', { exact: true })
      .waitFor()
    await expectNoSidewaysScrolling(page, 'compared translations')
    await expectAccessible(page, 'compared translations on a phone')
    await takePicture(page, 'translation-phone')
  })
})
