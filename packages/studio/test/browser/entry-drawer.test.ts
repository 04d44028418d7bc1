import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { editorBefore, fieldAt, openPiece, PERSON, PIECE, titleOf } from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('a linked entry in a drawer', () => {
  let server: Server
  let page: Page
  let documentId: string
  editorBefore(async (opened) => {
    server = opened.server
    page = opened.window.page
    documentId = (await server.ask('POST', PIECE, { data: { title: 'Beside' } })).data.documentId
  })

  const search = (): Locator => fieldAt(page, 'author').getByRole('combobox')
  const drawer = (): Locator => page.getByRole('dialog', { name: 'New person' })
  const name = (): Locator => drawer().getByRole('textbox', { name: 'Name', exact: true })
  const begin = async (title: string): Promise<void> => {
    await search().fill(title)
    await page.getByRole('option', { name: `New: ${title}` }).click()
    await name().waitFor()
  }
  const notice = (): Locator => page.getByRole('alertdialog', { name: 'was not created' })
  const untilNothingKept = async (): Promise<void> => {
    await page.waitForFunction(
      () => !Object.keys(localStorage).some((key) => key.startsWith('quire.unsaved')),
    )
  }

  it('restores its input after the close of the drawer is undone', async () => {
    await openPiece(page, server, documentId)
    await begin('Anna')
    await name().fill('Anna of Åland')
    await page.keyboard.press('Escape')
    await drawer().waitFor({ state: 'detached' })
    await search().and(page.locator(':focus')).waitFor()
    await untilNothingKept()
    await expectAccessible(page, 'a drawer that was left')
    await notice().getByRole('button', { name: 'Undo' }).click()
    await name().waitFor()
    expect(await name().inputValue()).to.equal('Anna of Åland')
    await drawer().getByRole('button', { name: 'Create' }).click()
    await fieldAt(page, 'author').getByRole('link', { name: 'Anna of Åland' }).waitFor()
    await untilNothingKept()
    const { data } = await server.ask('GET', `${PERSON}?filters[name][$startsWith]=Anna`)
    expect(data).to.have.length(1)
  })

  it('closes silently without input', async () => {
    await fieldAt(page, 'author').getByRole('button', { name: 'Remove Anna of Åland' }).click()
    await begin('Nobody')
    await drawer().getByRole('button', { name: 'Cancel' }).click()
    await drawer().waitFor({ state: 'detached' })
    expect(await notice().count()).to.equal(0)
  })

  it('restores its input after a reload', async () => {
    await openPiece(page, server, documentId)
    await begin('Half')
    await name().fill('Half a name')
    await page.waitForFunction(() =>
      Object.keys(localStorage).some((key) => localStorage.getItem(key)?.includes('Half a name')),
    )
    await page.reload()
    await titleOf(page).waitFor()
    await begin('Another')
    await page.getByText('Your unsaved changes are back').waitFor()
    expect(await name().inputValue()).to.equal('Half a name')
  })
})
