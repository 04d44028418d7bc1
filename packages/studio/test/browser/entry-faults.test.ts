import { expect } from 'chai'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describeInBrowser, type Window } from './browser.ts'
import { chooseGerman, fieldAt, openAs, PIECE, startWithEditors, TYPES } from './editors.ts'
import type { Server } from './server.ts'

/** The same types, of which pieces have a form to keep besides. */
function typesWithCode(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-faults-'))
  cpSync(TYPES, folder, { recursive: true })
  const file = join(folder, 'piece.json')
  const piece = JSON.parse(readFileSync(file, 'utf8'))
  piece.attributes.code = { type: 'string', regex: '^[A-Z]{2,4}$' }
  piece.attributes.subtitle = { type: 'string', required: true }
  writeFileSync(file, JSON.stringify(piece))
  return folder
}

describeInBrowser('the faults of an entry', () => {
  let server: Server
  let window: Window
  let types: string
  before(async () => {
    types = typesWithCode()
    server = await startWithEditors({ CONTENT_TYPES_DIR: types })
    window = await openAs(server, 'Grace')
    await chooseGerman(window.page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(types, { recursive: true })
  })

  const open = async (data: object): Promise<Page> => {
    const made = await server.ask('POST', PIECE, { data })
    await window.page.goto(`${server.address}/studio/content/pieces/${made.data.documentId}`)
    return window.page
  }
  const type = (page: Page, place: string, text: string): Promise<void> =>
    fieldAt(page, place).getByRole('textbox').fill(text)
  const problemAt = (page: Page, place: string, text: string): Promise<void> =>
    fieldAt(page, place).locator('[data-problem]').getByText(text, { exact: true }).waitFor()

  it('shows a too long title in German at its field', async () => {
    const page = await open({ title: 'Short', subtitle: 'There' })
    await type(page, 'title', 'x'.repeat(61))
    await problemAt(page, 'title', 'Höchstens 60 Zeichen')
  })

  it('shows each fault that prevents publishing in German at its field', async () => {
    const page = await open({ title: 'Whole', code: 'abc', pages: 0 })
    await page.getByRole('button', { name: 'Veröffentlichen', exact: true }).click()
    await problemAt(page, 'subtitle', 'Dieses Feld ist erforderlich.')
    await problemAt(page, 'code', 'Das hat nicht das verlangte Format: 2 bis 4 Großbuchstaben')
    await problemAt(page, 'pages', 'Mindestens 1')
    const problems = await page.locator('[data-problem]').allInnerTexts()
    expect(problems).to.have.length(3)
  })

  it('shows faults of unsaved values and of the publication together', async () => {
    const page = await open({ title: 'Both', code: 'abc' })
    await type(page, 'title', 'x'.repeat(61))
    await page.getByRole('button', { name: 'Veröffentlichen', exact: true }).click()
    await problemAt(page, 'title', 'Höchstens 60 Zeichen')
    await problemAt(page, 'subtitle', 'Dieses Feld ist erforderlich.')
    await problemAt(page, 'code', 'Das hat nicht das verlangte Format: 2 bis 4 Großbuchstaben')
    expect(await page.locator('[data-problem]').allInnerTexts()).to.have.length(3)
    const { meta } = await server.ask('GET', PIECE)
    expect(Object.values(meta.states)).to.not.include('published')
  })
})
