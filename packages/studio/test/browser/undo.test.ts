import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import {
  editorBefore,
  fieldAt,
  openPiece,
  PIECE,
  titleOf,
  untilPublished,
  untilStored,
} from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('undo', () => {
  let server: Server
  let page: Page
  editorBefore(async (opened) => {
    server = opened.server
    page = opened.window.page
    await page.clock.install()
  })

  const open = async (): Promise<string> => {
    const data = { title: 'Taken back', quotes: [{ text: 'One' }, { text: 'Two' }] }
    const { documentId } = (await server.ask('POST', PIECE, { data })).data
    await openPiece(page, server, documentId)
    return documentId
  }
  const quotes = (): Locator => fieldAt(page, 'quotes').getByRole('textbox', { name: 'Text' })
  const removeFirst = async (): Promise<void> => {
    await fieldAt(page, 'quotes')
      .getByRole('button', { name: 'Actions for Quote 1' })
      .press('Enter')
    await page.getByRole('menuitem', { name: 'Remove' }).press('Enter')
    await notice().waitFor()
  }
  const notice = (): Locator => page.getByRole('alertdialog', { name: 'Quote removed' })

  it('shows the notice with the shortcut', async () => {
    await open()
    await removeFirst()
    await notice().getByRole('alert').getByText('Ctrl Z to undo').waitFor()
    await expectAccessible(page, 'a notice')
  })

  it('runs on Ctrl-Z outside of text fields', async () => {
    await open()
    await removeFirst()
    await titleOf(page).focus()
    await page.keyboard.press('Control+z')
    await notice().waitFor()
    expect(await quotes().count()).to.equal(1)
    await page.locator('main').focus()
    await page.keyboard.press('Control+z')
    await notice().waitFor({ state: 'detached' })
    expect(await quotes().count()).to.equal(2)
    expect(await quotes().first().inputValue()).to.equal('One')
  })

  it('stays for 8 seconds, and longer under the pointer or the focus', async () => {
    await open()
    await removeFirst()
    await page.clock.fastForward(8_000)
    await page.keyboard.press('F6')
    await page.locator('[role=region]:focus').filter({ has: notice() }).waitFor()
    await page.clock.fastForward(60_000)
    await notice().hover()
    await titleOf(page).focus()
    await page.clock.fastForward(60_000)
    expect(await quotes().count()).to.equal(1)
    await notice().getByRole('button', { name: 'Undo' }).focus()
    await page.keyboard.press('Enter')
    await notice().waitFor({ state: 'detached' })
    expect(await quotes().count()).to.equal(2)
  })

  it('disappears after its time', async () => {
    await open()
    await removeFirst()
    await page.mouse.move(0, 0)
    await page.clock.fastForward(11_000)
    await notice().waitFor({ state: 'detached' })
  })

  it('restores a deleted entry as published, without a confirmation', async () => {
    const documentId = await open()
    await server.ask('POST', `${PIECE}/${documentId}/actions/publish`)
    await openPiece(page, server, documentId)
    await untilPublished(page)
    await page.getByRole('button', { name: 'More' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Pieces' }).waitFor()
    await page.locator('#content:focus').waitFor()
    expect((await server.ask('GET', '/admin/trash')).data[0]).to.include({ documentId })
    await page.keyboard.press('Control+z')
    const state = async () => (await server.ask('GET', PIECE)).meta.states[documentId]
    await untilStored(state, 'published')
    await page
      .getByRole('row', { name: /Taken back/ })
      .first()
      .waitFor()
  })

  it('restores a deleted entry with its unpublished changes', async () => {
    const documentId = await open()
    await server.ask('POST', `${PIECE}/${documentId}/actions/publish`)
    await server.ask('PUT', `${PIECE}/${documentId}`, { data: { teaser: 'Changed since' } })
    await openPiece(page, server, documentId)
    await page.locator('main header').getByText('Changed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'More' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Pieces' }).waitFor()
    await page.keyboard.press('Control+z')
    const state = async () => (await server.ask('GET', PIECE)).meta.states[documentId]
    await untilStored(state, 'changed')
    const teaserOf = async (status: string) =>
      (await server.ask('GET', `${PIECE}/${documentId}?status=${status}`)).data.teaser
    expect(await teaserOf('draft')).to.equal('Changed since')
    expect(await teaserOf('published')).to.not.equal('Changed since')
  })

  it('restores a published entry as a draft if its unique value is taken', async () => {
    const data = { title: 'Taken slug', slug: 'taken-slug' }
    const publish = async (): Promise<string> => {
      const { documentId } = (await server.ask('POST', PIECE, { data })).data
      await server.ask('POST', `${PIECE}/${documentId}/actions/publish`)
      return documentId
    }
    const documentId = await publish()
    await openPiece(page, server, documentId)
    await untilPublished(page)
    await page.getByRole('button', { name: 'More' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
    await page.getByText('Deleted', { exact: true }).hover() // its time stands still
    await page.getByRole('heading', { level: 1, name: 'Pieces' }).waitFor()
    await publish()
    await page.keyboard.press('Control+z')
    await page.getByText('1 entry was published and is now a draft').waitFor()
    await page.getByText('Another entry now uses the same value: Slug').waitFor()
    const state = async () => (await server.ask('GET', PIECE)).meta.states[documentId]
    await untilStored(state, 'draft')
  })

  it('restores discarded changes', async () => {
    const documentId = await open()
    await server.ask('POST', `${PIECE}/${documentId}/actions/publish`)
    await openPiece(page, server, documentId)
    await untilPublished(page)
    await titleOf(page).fill('Changed since')
    await page
      .getByRole('banner')
      .or(page.locator('main header'))
      .getByText('Changed', { exact: true })
      .waitFor()
    await page.getByRole('button', { name: 'More' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Discard changes' }).press('Enter')
    await page.getByText('Changes discarded').waitFor()
    expect(await titleOf(page).inputValue()).to.equal('Taken back')
    await page.getByRole('button', { name: 'More' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+z')
    await untilStored(
      async () => (await server.ask('GET', `${PIECE}/${documentId}`)).data.title,
      'Changed since',
    )
  })

  it('restores a link at its position', async () => {
    await open()
    const readers = fieldAt(page, 'readers')
    for (const name of ['Walt', 'Emily', 'Sappho']) {
      await readers.getByRole('combobox').fill(name)
      await page.getByRole('option', { name, exact: true }).click()
    }
    await readers.getByRole('button', { name: 'Remove Emily' }).press('Enter')
    await page.getByRole('alertdialog', { name: 'Emily removed' }).waitFor()
    expect(await readers.getByRole('link').allInnerTexts()).to.deep.equal(['Walt', 'Sappho'])
    await page.keyboard.press('Control+z')
    await readers.getByRole('link', { name: 'Emily' }).waitFor()
    expect(await readers.getByRole('link').allInnerTexts()).to.deep.equal([
      'Walt',
      'Emily',
      'Sappho',
    ])
  })

  it('restores a removed file', async () => {
    await open()
    const files = fieldAt(page, 'cover')
    const buffer = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    await files
      .locator('input[type=file]')
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer })
    const remove = files.getByRole('button', { name: 'Remove dot.png' })
    await remove.press('Enter', { timeout: 30_000 })
    await page.getByRole('alertdialog', { name: 'dot.png removed' }).waitFor()
    await files.getByRole('button').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+z')
    await remove.waitFor()
  })

  it('takes one line on a phone, and leaves the page usable', async () => {
    await open()
    await page.setViewportSize({ width: 360, height: 740 })
    await removeFirst()
    const text = await notice().getByText('Quote removed', { exact: true }).boundingBox()
    expect(text?.height).to.be.at.most(20)
    await page.setViewportSize({ width: 1280, height: 800 })
    const beside = await notice().boundingBox()
    const isPage = await page.evaluate(
      (y) => document.elementFromPoint(300, y)?.closest('[role=region]') === null,
      (beside?.y ?? 0) + 10,
    )
    expect(isPage).to.equal(true)
  })

  it('ends with the form', async () => {
    await open()
    await removeFirst()
    await page.getByRole('link', { name: 'Trash' }).click()
    await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor()
    await notice().waitFor({ state: 'detached' })
  })

  it('ignores a question mark in Markdown', async () => {
    await open()
    await fieldAt(page, 'body').getByRole('textbox').click()
    await page.keyboard.type('Why?')
    await fieldAt(page, 'body').getByText('Why?').waitFor()
    expect(await page.getByRole('dialog').count()).to.equal(0)
  })
})
