import { expect } from 'chai'
import { describeInBrowser, type Window } from './browser.ts'
import {
  fieldAt,
  holdSaves,
  openAs,
  openPiece,
  PIECE,
  signIn,
  startWithEditors,
  titleOf,
  untilSaved,
} from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('concurrent work in the Studio', function () {
  let server: Server
  let ada: Window
  let grace: Window
  before(async () => {
    server = await startWithEditors()
    ;[ada, grace] = await Promise.all([openAs(server, 'Ada'), openAs(server, 'Grace')])
  })
  after(async () => {
    await ada.close()
    await grace.close()
    await server.stop()
  })

  const make = async (data: object): Promise<string> =>
    (await server.ask('POST', PIECE, { data })).data.documentId
  const stored = async (documentId: string) =>
    (await server.ask('GET', `${PIECE}/${documentId}?populate[quotes]=true`)).data

  it('keeps changes of two users to different attributes', async () => {
    const documentId = await make({ title: 'Both', quotes: [{ text: 'one', source: 'first' }] })
    await openPiece(ada.page, server, documentId)
    await openPiece(grace.page, server, documentId)
    await ada.page.getByLabel('Teaser', { exact: true }).fill('by Ada')
    await fieldAt(ada.page, `quotes`).getByLabel('Source').fill('Ada')
    await untilSaved(ada.page)
    await grace.page.getByLabel('Contact', { exact: true }).fill('grace@example.org')
    await fieldAt(grace.page, `quotes`).getByLabel('Text').fill('Grace')
    await untilSaved(grace.page)
    expect(await grace.page.getByLabel('Teaser', { exact: true }).inputValue()).to.equal('by Ada')
    const entry = await stored(documentId)
    expect(entry).to.include({ teaser: 'by Ada', contact: 'grace@example.org' })
    expect(entry.quotes).to.have.length(1)
    expect(entry.quotes[0]).to.include({ text: 'Grace', source: 'Ada' })
  })

  it('shows both versions of a conflict, and keeps the chosen one', async () => {
    const documentId = await make({ title: 'Same' })
    await openPiece(ada.page, server, documentId)
    await openPiece(grace.page, server, documentId)
    const release = await holdSaves(grace.page)
    await titleOf(grace.page).fill('Of Grace')
    await titleOf(ada.page).fill('Of Ada')
    await untilSaved(ada.page)
    release()
    const choice = fieldAt(grace.page, 'title').getByRole('group', { name: /^Ada changed this/ })
    await choice.getByText('Of Ada').waitFor()
    await choice.getByText('Of Grace').waitFor()
    await grace.page.getByText('Saved, except Title').waitFor()
    expect((await stored(documentId)).title).to.equal('Of Ada')
    await choice.getByRole('button', { name: 'Take theirs' }).click()
    expect(await titleOf(grace.page).inputValue()).to.equal('Of Ada')
    await choice.waitFor({ state: 'detached' })
    await titleOf(grace.page).fill('Of both')
    await untilSaved(grace.page)
    expect((await stored(documentId)).title).to.equal('Of both')
  })

  it('continues after a new sign-in when the session ends', async () => {
    const documentId = await make({ title: 'Signed out' })
    await openPiece(ada.page, server, documentId)
    await ada.context.clearCookies()
    await titleOf(ada.page).fill('Typed while signed out')
    const dialog = ada.page.getByRole('dialog')
    await dialog.getByText('You have been signed out').waitFor()
    expect((await stored(documentId)).title).to.equal('Signed out')
    await signIn(ada.page, 'Ada')
    await dialog.waitFor({ state: 'detached' })
    await untilSaved(ada.page)
    expect(await titleOf(ada.page).inputValue()).to.equal('Typed while signed out')
    expect((await stored(documentId)).title).to.equal('Typed while signed out')
  })

  it('saves after an outage of the network', async () => {
    const documentId = await make({ title: 'Offline' })
    await openPiece(ada.page, server, documentId)
    await ada.context.setOffline(true)
    await titleOf(ada.page).fill('Typed without a network')
    await ada.page.getByText(/No connection: kept in this browser/).waitFor()
    await ada.context.setOffline(false)
    await untilSaved(ada.page)
    expect((await stored(documentId)).title).to.equal('Typed without a network')
  })

  it('restores unsaved input after the window was closed', async () => {
    const documentId = await make({ title: 'Closed' })
    await openPiece(ada.page, server, documentId)
    await ada.context.setOffline(true)
    await titleOf(ada.page).fill('Kept in the browser')
    await ada.page.getByText(/No connection: kept in this browser/).waitFor()
    const closed = ada.page
    ada = { ...ada, page: await ada.context.newPage() }
    await closed.close()
    await ada.context.setOffline(false)
    await openPiece(ada.page, server, documentId)
    await untilSaved(ada.page)
    expect(await titleOf(ada.page).inputValue()).to.equal('Kept in the browser')
    expect((await stored(documentId)).title).to.equal('Kept in the browser')
  })
})
