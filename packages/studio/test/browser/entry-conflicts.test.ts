import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import {
  chooseGerman,
  editorBefore,
  fieldAt,
  holdSaves,
  openPiece,
  PIECE,
  signIn,
  titleOf,
  untilStored,
} from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

const THEIRS = 'Title by another author'
const MINE = 'Title by Ada'

describeInBrowser('undecided conflicts in the Studio', function () {
  let server: Server
  let window: Window
  let page: Page
  /** The data of all writes that the browser sent. */
  let written: Readonly<Record<string, unknown>>[]
  editorBefore((opened) => {
    server = opened.server
    window = opened.window
    page = window.page
    window.context.on('request', (request) => {
      if (request.method() !== 'PUT' || !request.url().includes(PIECE)) return
      written.push((request.postDataJSON() as { data: Readonly<Record<string, unknown>> }).data)
    })
  })

  const make = async (): Promise<string> =>
    (await server.ask('POST', PIECE, { data: { title: 'Title', teaser: 'Teaser' } })).data
      .documentId as string
  const writeElsewhere = (documentId: string, title: string): Promise<unknown> =>
    server.ask('PUT', `${PIECE}/${documentId}`, { data: { title } })
  const stored = (documentId: string) => async () => {
    const { title, teaser } = (await server.ask('GET', `${PIECE}/${documentId}`)).data
    return { title, teaser } as unknown
  }
  const choiceIn = (tab: Page): Locator =>
    fieldAt(tab, 'title').getByRole('group', { name: /changed this at the same time/ })
  const openConflict = async (): Promise<string> => {
    const documentId = await make()
    await openPiece(page, server, documentId)
    const release = await holdSaves(page)
    await titleOf(page).fill(MINE)
    await writeElsewhere(documentId, THEIRS)
    release()
    await untilConflict(page)
    written = []
    return documentId
  }
  const untilConflict = async (tab: Page, theirs = THEIRS): Promise<void> => {
    await choiceIn(tab).getByText(theirs).waitFor()
    await choiceIn(tab).getByText(MINE).waitFor()
    await tab.getByText('Saved, except Title').waitFor()
    expect(await titleOf(tab).inputValue()).to.equal(MINE)
  }
  /** Saves another attribute. The same write would contain the title if it were not held back. */
  const expectHeld = async (documentId: string, teaser: string): Promise<void> => {
    await untilConflict(page)
    await fieldAt(page, 'teaser').getByRole('textbox').fill(teaser)
    await untilStored(stored(documentId), { title: THEIRS, teaser })
    await untilConflict(page)
    expect(written.filter((data) => 'title' in data)).to.deep.equal([])
  }
  const untilSettled = async (tab: Page, title: string): Promise<void> => {
    await untilStored(() => titleOf(tab).inputValue(), title)
    expect(await choiceIn(tab).count()).to.equal(0)
  }
  const decide = async (name: 'Keep yours' | 'Take theirs', tab = page): Promise<void> => {
    await choiceIn(tab).getByRole('button', { name }).click()
    await choiceIn(tab).waitFor({ state: 'detached' })
    await tab.getByText('Saved, except Title').waitFor({ state: 'detached' })
  }

  it('stay open after a reload, until the user keeps a version', async () => {
    const documentId = await openConflict()
    await page.reload()
    await expectHeld(documentId, 'Saved after one reload')
    await page.reload()
    await expectHeld(documentId, 'Saved after two reloads')
    await expectAccessible(page, 'a conflict after a reload')
    await decide('Keep yours')
    await untilStored(stored(documentId), { title: MINE, teaser: 'Saved after two reloads' })
    await page.reload()
    await untilSettled(page, MINE)
  })

  it('stay open after the user left the page and came back', async () => {
    const documentId = await openConflict()
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Persons/ })
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name: 'Persons' }).waitFor()
    await page.goBack()
    await expectHeld(documentId, 'Saved after the return')
    await decide('Take theirs')
    await untilSettled(page, THEIRS)
    await page.reload()
    await untilSettled(page, THEIRS)
    expect(await stored(documentId)()).to.include({ title: THEIRS })
  })

  it('show the newest version after a third write', async () => {
    const documentId = await openConflict()
    await page.goto('about:blank')
    await writeElsewhere(documentId, 'A third title')
    await openPiece(page, server, documentId)
    await untilConflict(page, 'A third title')
    await page.reload()
    await untilConflict(page, 'A third title')
    await decide('Take theirs')
    await untilSettled(page, 'A third title')
  })

  it('stay open after offline input, a closed tab and a reload', async () => {
    const documentId = await make()
    await openPiece(page, server, documentId)
    await window.context.setOffline(true)
    await titleOf(page).fill(MINE)
    await page.getByText(/No connection: kept in this browser/).waitFor()
    const closed = page
    page = await window.context.newPage()
    await closed.close()
    await writeElsewhere(documentId, THEIRS)
    await window.context.setOffline(false)
    written = []
    await openPiece(page, server, documentId)
    await expectHeld(documentId, 'Saved after the outage')
    await page.reload()
    await expectHeld(documentId, 'Saved after the reload')
  })

  it('stay open after the session ended', async () => {
    const documentId = await openConflict()
    await window.context.clearCookies()
    await fieldAt(page, 'teaser').getByRole('textbox').fill('Signed out')
    await page.getByRole('dialog').getByText('You have been signed out').waitFor()
    await page.reload()
    await signIn(page, 'Ada')
    await page.getByRole('link', { name: 'Pieces' }).first().waitFor()
    await openPiece(page, server, documentId)
    await untilStored(stored(documentId), { title: THEIRS, teaser: 'Signed out' })
    await expectHeld(documentId, 'Signed in')
  })

  it('belong to their tab, and end in all tabs with the version that the user kept', async () => {
    const documentId = await openConflict()
    const other = await window.context.newPage()
    await openPiece(other, server, documentId)
    await untilSettled(other, THEIRS)
    await other.reload()
    await untilSettled(other, THEIRS)
    await untilConflict(page)
    await decide('Keep yours')
    await untilStored(stored(documentId), { title: MINE, teaser: 'Teaser' })
    await other.reload()
    await untilSettled(other, MINE)
    await other.close()
  })

  it('are found in changes that an earlier version of the Studio stored', async () => {
    const documentId = await openConflict()
    await page.goto(`${server.address}/studio/content/persons`)
    await page.getByRole('heading', { level: 1, name: 'Persons' }).waitFor()
    await page.evaluate((id) => {
      const key = Object.keys(localStorage).find((one) => one.includes(id)) ?? ''
      const work = { base: { title: 'Title' }, mine: { title: 'Title by Ada' } }
      localStorage.setItem(key, JSON.stringify(work))
    }, documentId)
    await openPiece(page, server, documentId)
    await expectHeld(documentId, 'Saved')
    await page.reload()
    await expectHeld(documentId, 'Saved again')
  })

  it('name the root token or the API token that wrote the other version', async () => {
    await openConflict()
    const root = fieldAt(page, 'title').getByRole('group', {
      name: /^The root token changed this at the same time/,
    })
    await root.getByText('Version by the root token').waitFor()
    await takePicture(page, 'conflict-root')
    await decide('Take theirs')
    const token = { name: 'Importer', type: 'full-access' }
    const { accessKey } = (await server.ask('POST', '/admin/api-tokens', token)).data
    const documentId = await make()
    await openPiece(page, server, documentId)
    const release = await holdSaves(page)
    await titleOf(page).fill(MINE)
    const answer = await fetch(`${server.address}/api/pieces/${documentId}?status=draft`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${accessKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ data: { title: THEIRS } }),
    })
    expect(answer.status, await answer.text()).to.equal(200)
    release()
    const byToken = fieldAt(page, 'title').getByRole('group', {
      name: /^API token Importer changed this at the same time/,
    })
    await byToken.getByText('Version by API token Importer').waitFor()
    await expectAccessible(page, 'a conflict with an API token')
    await chooseGerman(page, server)
    await page.goBack()
    await fieldAt(page, 'title')
      .getByRole('group', { name: /^API-Token Importer hat dies gleichzeitig geändert/ })
      .waitFor()
    await takePicture(page, 'conflict-token-german')
  })
})
