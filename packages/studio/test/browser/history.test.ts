import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import {
  chooseGerman,
  editorBefore,
  openAs,
  openPiece,
  PIECE,
  titleOf,
  untilSaved,
} from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('the history of an entry', () => {
  let server: Server
  let ada: Window
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    ada = opened.window
    page = ada.page
  })

  /** A piece of four versions: it was made, published, and its draft written twice. */
  async function make(): Promise<string> {
    const data = { title: 'The first words of it', teaser: 'Old', quotes: [{ text: 'A quote' }] }
    const { documentId } = (await server.ask('POST', PIECE, { data })).data
    await server.ask('POST', `${PIECE}/${documentId}/actions/publish`)
    for (const change of [{ title: 'The second words of it', quotes: [] }, { teaser: 'New' }]) {
      await server.ask('PUT', `${PIECE}/${documentId}`, { data: change })
    }
    return documentId
  }
  const stored = async (documentId: string) =>
    (await server.ask('GET', `${PIECE}/${documentId}?populate[quotes]=true`)).data
  const openHistory = async (documentId: string): Promise<Locator> => {
    await openPiece(page, server, documentId)
    await page.getByRole('button', { name: 'All versions' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('listbox', { name: 'Versions' }).waitFor()
    return dialog
  }

  it('lists sittings and events, and compares each with the current entry', async () => {
    const dialog = await openHistory(await make())
    const versions = dialog.getByRole('option')
    expect(await versions.count()).to.equal(3)
    await versions.first().getByText('Edited Title, Quotes, Teaser').waitFor()
    await versions.nth(1).getByText('Published', { exact: true }).waitFor()
    await versions.last().getByText('Created', { exact: true }).waitFor()
    await versions
      .first()
      .getByText(/\d{4}.*\d{1,2}:\d{2}/)
      .waitFor()
    await versions.last().click()
    const title = dialog.getByRole('listitem').filter({ hasText: 'Title' })
    await title.locator('del', { hasText: 'first' }).waitFor()
    await title.locator('ins', { hasText: 'second' }).waitFor()
    const quotes = dialog.getByRole('listitem').filter({ hasText: 'Quotes' })
    await quotes.getByText('Text: A quote').waitFor()
    await quotes.getByText('empty').waitFor()
    await expectAccessible(page, 'history')
    await page.setViewportSize({ width: 360, height: 720 })
    await expectNoSidewaysScrolling(page, 'history')
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('shows the changes of a version', async () => {
    const dialog = await openHistory(await make())
    await dialog.getByRole('button', { name: /Compare with/ }).click()
    await page.getByRole('option', { name: 'Previous version' }).click()
    await dialog.getByRole('option').first().click()
    await dialog.getByRole('heading', { name: 'Teaser' }).waitFor()
    expect(await dialog.getByRole('heading', { level: 3 }).count()).to.equal(3)
    await dialog.getByRole('option').last().click()
    await dialog.getByText('This is the oldest stored version.').waitFor()
  })

  it('compares a version with the published one and with any other', async () => {
    const dialog = await openHistory(await make())
    const against = async (name: string | RegExp): Promise<void> => {
      await dialog.getByRole('button', { name: /Compare with/ }).click()
      await page.getByRole('option', { name }).last().click()
    }
    await dialog.getByRole('option').first().click()
    await against('Published version')
    const title = dialog.getByRole('listitem').filter({ hasText: 'Title' })
    await title.locator('del', { hasText: 'first' }).waitFor()
    await title.getByText('Published version').waitFor()
    await against(/^The root token, /)
    await title.locator('del', { hasText: 'first' }).waitFor()
    await title.getByText(/^The root token, .*\d{1,2}:\d{2}/).waitFor()
    await dialog.getByRole('option').last().click()
    await against('Published version')
    await dialog.getByText('No differences').waitFor()
  })

  it('lists the sittings in German', async () => {
    const documentId = await make()
    const { revision } = (
      await server.ask('GET', `/admin/history/api::piece.piece/${documentId}`)
    ).data.at(-1)
    await server.ask('POST', `/admin/history/api::piece.piece/${documentId}/${revision}/restore`, {
      attributes: ['title'],
    })
    const german = await openAs(server, 'Grace')
    await chooseGerman(german.page, server)
    await openPiece(german.page, server, documentId)
    await german.page.getByRole('button', { name: 'Alle Fassungen' }).click()
    const rows = german.page.getByRole('dialog').getByRole('option')
    await rows.first().getByText('Title wiederhergestellt').waitFor()
    await rows.nth(1).getByText('Title, Quotes, Teaser bearbeitet').waitFor()
    await rows.nth(2).getByText('Veröffentlicht', { exact: true }).waitFor()
    await rows.nth(3).getByText('Angelegt', { exact: true }).waitFor()
    await expectAccessible(german.page, 'history in German')
    await german.close()
  })

  it('keeps the row of a publication after a discard', async () => {
    const documentId = await make()
    const listed = async (): Promise<readonly string[]> => {
      const dialog = await openHistory(documentId)
      const rows = await dialog.getByRole('option').allInnerTexts()
      await page.keyboard.press('Escape')
      return rows.map((row) => row.split('\n')[1] ?? '')
    }
    const before = ['Edited Title, Quotes, Teaser', 'Published', 'Created']
    expect(await listed()).to.deep.equal(before)
    await server.ask('POST', `${PIECE}/${documentId}/actions/discard`)
    expect(await listed()).to.deep.equal(['Discarded changes', ...before])
    const { data } = await server.ask('GET', `/admin/history/api::piece.piece/${documentId}`)
    expect(data[0].revision).to.equal(data.at(-2).revision)
  })

  it('restores one attribute, and undoes it', async () => {
    const documentId = await make()
    const dialog = await openHistory(documentId)
    await dialog.getByRole('option').last().click()
    await dialog.getByRole('button', { name: 'Restore Title' }).click()
    await page.getByText('Restored to the draft').waitFor()
    expect(await titleOf(page).inputValue()).to.equal('The first words of it')
    expect(await stored(documentId)).to.include({ title: 'The first words of it', teaser: 'New' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await untilSaved(page)
    expect((await stored(documentId)).title).to.equal('The second words of it')
  })

  it('undoes a restore, and keeps later changes of others', async () => {
    const documentId = await make()
    const dialog = await openHistory(documentId)
    await dialog.getByRole('option').last().click()
    await dialog.getByRole('button', { name: 'Restore Title' }).click()
    await page.getByText('Restored to the draft').waitFor()
    await page.getByRole('button', { name: 'Undo' }).hover() // so it stays
    await server.ask('PUT', `${PIECE}/${documentId}`, { data: { teaser: 'Of another' } })
    const teaser = page.getByRole('textbox', { name: 'Teaser' })
    await page.waitForFunction(
      () =>
        [...document.querySelectorAll('input, textarea')].some(
          (field) => (field as HTMLInputElement).value === 'Of another',
        ),
      undefined,
      { timeout: 30_000 },
    )
    await page.getByRole('button', { name: 'Undo' }).click()
    await untilSaved(page)
    expect(await teaser.inputValue()).to.equal('Of another')
    expect(await stored(documentId)).to.include({
      title: 'The second words of it',
      teaser: 'Of another',
    })
  })

  it('restores a version by keyboard, including one from the same session', async () => {
    const documentId = await make()
    await openPiece(page, server, documentId)
    await titleOf(page).fill('Typed just now')
    await page.getByRole('button', { name: 'All versions' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    const list = dialog.getByRole('listbox', { name: 'Versions' })
    await list.waitFor()
    await list.getByRole('option').first().focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Space')
    await dialog.locator('ins', { hasText: 'Typed' }).waitFor()
    await dialog.getByRole('button', { name: 'Restore this version' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Restored to the draft').waitFor()
    const entry = await stored(documentId)
    expect(entry).to.include({ title: 'The first words of it', teaser: 'Old' })
    expect(entry.quotes).to.have.length(1)
    const again = await openHistory(documentId)
    const rows = await again.getByRole('option').allInnerTexts()
    expect(rows.map((row) => row.split('\n').slice(0, 2).join(': '))).to.deep.equal([
      'Ada: Restored Title, Teaser, Quotes',
      'Ada: Edited Title',
      'The root token: Edited Title, Quotes, Teaser',
      'The root token: Published',
      'The root token: Created',
    ])
  })

  it('logs no browser errors', () => {
    expect(ada.complaints).to.deep.equal([])
  })
})
