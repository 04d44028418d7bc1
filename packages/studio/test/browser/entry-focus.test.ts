import type { Locator, Page } from 'playwright-core'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import {
  fieldAt,
  openAs,
  openPiece,
  PIECE,
  startWithEditors,
  titleOf,
  untilSaved,
} from './editors.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

describeInBrowser('the focus in an entry', function () {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startWithEditors()
    window = await openAs(server, 'Ada')
    page = window.page
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const open = async (): Promise<void> => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Focus' } })).data
    await openPiece(page, server, documentId)
  }
  /** Until it has the focus. */
  const untilFocused = async (wanted: Locator): Promise<void> => {
    await wanted.and(page.locator(':focus')).waitFor()
  }

  it('is in the title of a new entry, and stays there when it gets its address', async () => {
    await page.goto(`${server.address}/studio/content/pieces/new`)
    await untilFocused(titleOf(page))
    await page.keyboard.type('Typed')
    await page.waitForURL(/pieces\/(?!new)/)
    await page.keyboard.type(' at once')
    await untilSaved(page)
    await untilFocused(titleOf(page))
  })

  it('goes into a component that is added, and back to its button when it is removed', async () => {
    await open()
    const seal = fieldAt(page, 'seal')
    await seal.getByRole('button', { name: 'Add Quote' }).click()
    await untilFocused(fieldAt(page, 'seal/text').getByRole('textbox'))
    await seal.getByRole('button', { name: 'Remove Seal' }).click()
    await untilFocused(seal.getByRole('button', { name: 'Add Quote' }))
  })

  it('stays with a relation to one when it is chosen and taken away', async () => {
    await open()
    const author = fieldAt(page, 'author')
    await author.getByRole('combobox').fill('Walt')
    await page.getByRole('option', { name: 'Walt', exact: true }).click()
    await untilFocused(author.getByRole('link', { name: 'Walt' }))
    await author.getByRole('button', { name: 'Remove Walt' }).press('Enter')
    await untilFocused(author.getByRole('combobox'))
    await page.keyboard.press('Escape')
  })

  it('goes to the next of many when one is taken away', async () => {
    await open()
    const readers = fieldAt(page, 'readers')
    for (const name of ['Walt', 'Emily']) {
      await readers.getByRole('combobox').fill(name)
      await page.getByRole('option', { name, exact: true }).click()
    }
    await readers.getByRole('button', { name: 'Remove Walt' }).press('Enter')
    await untilFocused(readers.getByRole('link', { name: 'Emily' }))
  })
})

describeInBrowser('the focus in a component whose editor has to be loaded', () => {
  it('goes there once it is there: what is typed is its text', async () => {
    const server = await startServer()
    const window = await openBrowser()
    const { page } = window
    await beFirst(page, server)
    await page.goto(`${server.address}/studio/content/homepage`)
    await page.getByRole('button', { name: 'Add a component' }).first().click()
    await page.getByRole('menuitem', { name: 'Rich text' }).click()
    const body = page.locator('[data-field$="/body"]').getByRole('textbox')
    await page.locator('[data-field$="/body"] [data-code]:focus').waitFor()
    await page.keyboard.type('Typed at once')
    await body.getByText('Typed at once').waitFor()
    await window.close()
    await server.stop()
  })
})
