import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import {
  fieldAt,
  openAs,
  openPiece,
  PIECE,
  startWithEditors,
  titleOf,
  untilStored,
} from './editors.ts'
import type { Server } from './server.ts'

const READERS = 1_500
const PAGE = 50

const nameOf = (at: number): string => `Reader ${String(at).padStart(4, '0')}`
const idOf = (at: number): string => `reader${String(at).padStart(18, '0')}`

describeInBrowser('a relation with thousands of entries', function () {
  let server: Server
  let window: Window
  let page: Page
  let documentId: string
  before(async () => {
    server = await startWithEditors()
    const all = Array.from({ length: READERS }, (_, at) => at)
    await server.bulk(
      [...all, READERS].map((at) => ({
        op: 'upsert',
        type: 'person',
        documentId: idOf(at),
        data: { name: nameOf(at) },
      })),
    )
    const data = { title: 'Widely read', readers: all.map(idOf) }
    documentId = (await server.ask('POST', PIECE, { data })).data.documentId
    window = await openAs(server, 'Ada')
    page = window.page
    await openPiece(page, server, documentId)
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const readers = () => fieldAt(page, 'readers')
  const rows = () => readers().getByRole('listitem')
  const stored = async (): Promise<readonly string[]> => {
    const { data } = await server.ask('GET', `${PIECE}/${documentId}?populate[readers]=ids`)
    return data.readers.map((one: string | { readonly documentId: string }) =>
      typeof one === 'string' ? one : one.documentId,
    )
  }
  const expectFirst = async (names: readonly string[]): Promise<void> => {
    for (const [at, name] of names.entries()) await rows().nth(at).getByText(name).waitFor()
  }
  let expected = Array.from({ length: READERS }, (_, at) => idOf(at))

  it('shows the number of entries, and one page at a time', async () => {
    await readers().getByText('1,500, in order').waitFor()
    expect(await rows().count()).to.equal(PAGE)
    await readers().getByRole('button', { name: 'Show 50 more' }).click()
    await readers()
      .getByRole('link', { name: nameOf(99), exact: true })
      .waitFor()
    expect(await rows().count()).to.equal(2 * PAGE)
    await expectAccessible(page, 'long relation')
  })

  it('moves an entry by its handle, and leaves the others in place', async () => {
    await readers()
      .getByRole('button', { name: `Move ${nameOf(60)}, 61 of 100` })
      .focus()
    await page.keyboard.press('Home')
    expected = [idOf(60), ...expected.filter((id) => id !== idOf(60))]
    await untilStored(stored, expected)
    await expectFirst([nameOf(60), nameOf(0)])
  })

  it('removes an entry of a later page', async () => {
    await readers()
      .getByRole('button', { name: `Remove ${nameOf(70)}` })
      .click()
    expected = expected.filter((id) => id !== idOf(70))
    await untilStored(stored, expected)
    await readers().getByText('1,499, in order').waitFor()
  })

  it('searches linked entries, moves one and removes one', async () => {
    const within = readers().getByRole('searchbox', { name: 'Search linked entries' })
    await within.fill('Reader 14')
    await readers()
      .getByRole('link', { name: nameOf(1400), exact: true })
      .waitFor()
    await readers()
      .getByRole('button', { name: `Move ${nameOf(1401)} to the start` })
      .click()
    await readers()
      .getByRole('button', { name: `Remove ${nameOf(1402)}` })
      .click()
    expected = [idOf(1401), ...expected.filter((id) => id !== idOf(1401) && id !== idOf(1402))]
    await untilStored(stored, expected)
    await within.fill('')
    await expectFirst([nameOf(1401), nameOf(60)])
  })

  it('appends an entry, and offers no linked ones', async () => {
    const search = readers().getByRole('combobox')
    await search.fill('Reader 1')
    await page.getByRole('option', { name: 'New: Reader 1' }).waitFor()
    await search.fill(nameOf(1499))
    await page.getByRole('option', { name: `New: ${nameOf(1499)}` }).waitFor()
    expect(await page.getByRole('option').allTextContents()).to.have.length(1)
    await search.fill(nameOf(READERS))
    await page.getByRole('option', { name: nameOf(READERS), exact: true }).click()
    expected = [...expected, idOf(READERS)]
    await untilStored(stored, expected)
  })

  it('keeps its entries when another attribute is saved or the entry is reopened', async () => {
    await titleOf(page).fill('Widely read, still')
    const title = async () => (await server.ask('GET', `${PIECE}/${documentId}`)).data.title
    await untilStored(title, 'Widely read, still')
    expect(await stored()).to.deep.equal(expected)
    await openPiece(page, server, documentId)
    await expectFirst([nameOf(1401), nameOf(60), nameOf(0)])
    await readers()
      .getByRole('button', { name: `Remove ${nameOf(60)}` })
      .click()
    expected = expected.filter((id) => id !== idOf(60))
    await untilStored(stored, expected)
  })

  it('logs no browser errors', () => {
    expect(window.complaints).to.deep.equal([])
  })
})
