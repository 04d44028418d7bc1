import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { editorBefore, PERSON, PIECE, untilStored } from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('the deletion of an entry', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const names = async (): Promise<readonly string[]> =>
    (await server.ask('GET', PERSON)).data.map(({ name }: { name: string }) => name)
  const askToDelete = async (documentId: string): Promise<void> => {
    // Whether a deletion can be undone is known from here on.
    const answered = page.waitForResponse(/\/admin\/trash\?/)
    await page.goto(`${server.address}/studio/content/persons/${documentId}`)
    await answered
    await page.getByRole('button', { name: 'More' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  }

  it('lists linking entries, including drafts, and waits for the confirmation', async () => {
    const { documentId } = (await server.ask('POST', PERSON, { data: { name: 'Linked' } })).data
    const data = { title: 'Written by Linked', author: documentId }
    await server.ask('POST', PIECE, { data })
    await askToDelete(documentId)
    const dialog = page.getByRole('dialog', { name: 'Delete this entry?' })
    await dialog.getByText('Written by Linked · Author').waitFor()
    await expectAccessible(page, 'a deletion')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await names()).to.include('Linked')
    await askToDelete(documentId)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 1, name: 'Persons' }).waitFor()
    expect(await names()).to.not.include('Linked')
    await page.getByRole('button', { name: 'Undo' }).click()
    await untilStored(async () => (await names()).includes('Linked'), true)
  })

  it('asks for no confirmation without linking entries', async () => {
    const { documentId } = (await server.ask('POST', PERSON, { data: { name: 'Alone' } })).data
    await askToDelete(documentId)
    await page.getByRole('heading', { level: 1, name: 'Persons' }).waitFor()
    expect(await names()).to.not.include('Alone')
  })
})
