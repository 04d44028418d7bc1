import { expect } from 'chai'
import type { Page, Request } from 'playwright-core'
import { describeInBrowser, type Window } from './browser.ts'
import { expectAccessible } from './accessibility.ts'
import {
  editorBefore,
  fieldAt,
  openPiece,
  PERSON,
  PIECE,
  signIn,
  titleOf,
  untilSaved,
  untilStored,
} from './editors.ts'
import type { Server } from './server.ts'

const NO_CONNECTION = /No connection: kept in this browser/

describeInBrowser('unsaved input during a failure', function () {
  let server: Server
  let window: Window
  let page: Page
  /** What was written while it was watched: the bodies of what reached the server. */
  let written: unknown[]
  editorBefore((opened) => {
    server = opened.server
    window = opened.window
    page = window.page
  })

  const open = async (title: string): Promise<string> => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title } })).data
    await openPiece(page, server, documentId)
    return documentId
  }
  const titleAt = (documentId: string) => async () =>
    (await server.ask('GET', `${PIECE}/${documentId}`)).data.title as unknown
  const watch = (): void => {
    written = []
    page.removeAllListeners('requestfinished')
    page.on('requestfinished', (request: Request) => {
      if (['POST', 'PUT'].includes(request.method()) && request.url().includes('/admin/content/')) {
        written.push((request.postDataJSON() as { data: unknown }).data)
      }
    })
  }

  it('saves all input at once after the network returns', async () => {
    const documentId = await open('Connected')
    await titleOf(page).press('End')
    await page.keyboard.type(', then')
    await window.context.setOffline(true)
    await page.keyboard.type(' cut off')
    await page.getByText(NO_CONNECTION).waitFor()
    await page.keyboard.type(' and typing on')
    expect(await titleOf(page).inputValue()).to.equal('Connected, then cut off and typing on')
    await page.getByText(NO_CONNECTION).waitFor()
    watch()
    await window.context.setOffline(false)
    await untilSaved(page)
    await untilStored(titleAt(documentId), 'Connected, then cut off and typing on')
    expect(written).to.deep.equal([{ title: 'Connected, then cut off and typing on' }])
    expect(await titleOf(page).evaluate((field) => field === document.activeElement)).to.equal(true)
  })

  it('creates one entry after a lost response', async () => {
    await page.goto(`${server.address}/studio/content/pieces/new`)
    let isLost = false
    await page.route(/\/admin\/content\/[^/]*piece\?/, async (route) => {
      if (route.request().method() !== 'POST' || isLost) return route.continue()
      isLost = true
      await route.fetch()
      await route.abort('connectionreset')
    })
    await titleOf(page).fill('Created once')
    await page.getByText(NO_CONNECTION).waitFor()
    await titleOf(page).press('End')
    await page.keyboard.type(', and no more')
    await page.waitForURL(/pieces\/(?!new)/, { timeout: 20_000 })
    await untilSaved(page)
    await page.unrouteAll()
    const { data } = await server.ask('GET', `${PIECE}?filters[title][$startsWith]=Created`)
    expect(data.map(({ title }: { title: string }) => title)).to.deep.equal([
      'Created once, and no more',
    ])
  })

  it('saves after a restart of the server', async () => {
    const documentId = await open('Before the start')
    await server.goDown()
    await titleOf(page).fill('Typed while it was down')
    await page.getByText(NO_CONNECTION).waitFor()
    await server.comeBack()
    await titleOf(page).press('End')
    await page.keyboard.type(', and after')
    await page.getByText(/^Saved (now|this minute|\d)/).waitFor({ timeout: 30_000 })
    await untilStored(titleAt(documentId), 'Typed while it was down, and after')
  })

  it('saves after a new sign-in when the session ended offline', async () => {
    const documentId = await open('Signed in')
    await window.context.setOffline(true)
    await titleOf(page).fill('Typed offline')
    await page.getByText(NO_CONNECTION).waitFor()
    await window.context.clearCookies()
    await window.context.setOffline(false)
    await page.getByRole('dialog').getByText('You have been signed out').waitFor()
    await signIn(page, 'Ada')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await untilSaved(page)
    await untilStored(titleAt(documentId), 'Typed offline')
  })

  it('restores input after the tab was closed, even without autosave', async () => {
    const [{ documentId }] = (await server.ask('GET', `${PERSON}?filters[name]=Walt`)).data
    await page.goto(`${server.address}/studio/content/persons/${documentId}`)
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.fill('Walter')
    const closed = page
    page = await window.context.newPage()
    await closed.close()
    await page.goto(`${server.address}/studio/content/persons/${documentId}`)
    await page.getByText('Not saved: kept in this browser').waitFor()
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).to.equal(
      'Walter',
    )
  })

  it('keeps the form usable when an editor cannot be loaded, and offers a reload', async () => {
    for (const [part, place] of [
      ['code-editor', 'body'],
      ['blocks-area', 'story'],
    ] as const) {
      const documentId = await open('Half loaded')
      await page.goto('about:blank')
      const files = new RegExp(`assets/${part}`)
      await page.route(files, (route) => route.abort('connectionrefused'))
      await openPiece(page, server, documentId)
      const notice = fieldAt(page, place).getByRole('alert')
      await notice.getByText('could not be loaded').waitFor()
      if (part === 'code-editor') await expectAccessible(page, 'an editor that is missing')
      await titleOf(page).fill('Typed beside it')
      await window.context.setOffline(true)
      await notice.getByRole('button', { name: 'Load the page again' }).click()
      await page.getByText('The server cannot be reached').waitFor()
      await page.unroute(files)
      await window.context.setOffline(false)
      await notice.getByRole('button', { name: 'Load the page again' }).click()
      await fieldAt(page, place).getByRole('textbox').waitFor()
      expect(await titleOf(page).inputValue()).to.equal('Typed beside it')
      await untilStored(titleAt(documentId), 'Typed beside it')
    }
  })
})
