import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { describeInBrowser } from './browser.ts'
import {
  editorBefore,
  fieldAt,
  openPiece,
  PIECE,
  titleOf,
  untilPublished,
  untilSaved,
  untilStored,
} from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('the slug of an entry', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const slug = (): Locator => fieldAt(page, 'slug').getByRole('textbox')
  const begin = async (): Promise<void> => {
    await page.goto(`${server.address}/studio/content/pieces/new`)
    await titleOf(page).waitFor()
  }
  const stored = async (documentId: string, locale = 'en') =>
    (await server.ask('GET', `${PIECE}/${documentId}?status=draft&locale=${locale}`)).data
  const openedId = (): string => new URL(page.url()).pathname.split('/').at(-1) ?? ''

  it('follows the title of a new draft until its first publication', async () => {
    await begin()
    await titleOf(page).fill('Home and away')
    await untilSaved(page)
    await titleOf(page).fill('Home and far away')
    expect(await slug().inputValue()).to.equal('home-and-far-away')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await untilPublished(page)
    await titleOf(page).fill('Home and beyond')
    expect(await slug().inputValue()).to.equal('home-and-far-away')
    const documentId = openedId()
    await untilStored(async () => (await stored(documentId)).title, 'Home and beyond')
    expect((await stored(documentId)).slug).to.equal('home-and-far-away')
  })

  it('stays the same after a publication and an unpublish', async () => {
    await begin()
    await titleOf(page).fill('Once public')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await untilPublished(page)
    await page.getByRole('button', { name: 'More' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Unpublish' }).press('Enter')
    await page.locator('main header').getByText('Draft', { exact: true }).waitFor()
    await titleOf(page).fill('Private again')
    expect(await slug().inputValue()).to.equal('once-public')
  })

  it('stays the same after another user published the entry', async () => {
    await begin()
    await titleOf(page).fill('Published elsewhere')
    await untilSaved(page)
    await server.ask('POST', `${PIECE}/${openedId()}/actions/publish`)
    await page.locator('main header').getByText('Published', { exact: true }).waitFor({
      timeout: 30_000,
    })
    await titleOf(page).fill('Renamed here')
    expect(await slug().inputValue()).to.equal('published-elsewhere')
  })

  it('follows the title of a translation', async () => {
    const data = { title: 'Große Pläne', slug: 'a-slug-of-its-own' }
    const { documentId } = (await server.ask('POST', PIECE, { data })).data
    await server.ask('POST', `${PIECE}/${documentId}/actions/publish`)
    await page.goto(`${server.address}/studio/content/pieces/${documentId}?locale=de`)
    await page.getByRole('button', { name: 'Start from English' }).click()
    await titleOf(page).waitFor()
    expect(await slug().inputValue()).to.equal('grosse-plaene')
    await titleOf(page).fill('Grüße')
    expect(await slug().inputValue()).to.equal('gruesse')
    await untilStored(async () => (await stored(documentId, 'de')).slug, 'gruesse')
    expect((await stored(documentId)).slug).to.equal('a-slug-of-its-own')
  })

  it('regenerates the URL on request, also in published entries', async () => {
    const other = (await server.ask('POST', PIECE, { data: { title: 'x', slug: 'new-name' } })).data
    const data = { title: 'New name', slug: 'old-name' }
    const { documentId } = (await server.ask('POST', PIECE, { data })).data
    await server.ask('POST', `${PIECE}/${documentId}/actions/publish`)
    await openPiece(page, server, documentId)
    await fieldAt(page, 'slug').getByRole('button', { name: 'Generate' }).click()
    await untilStored(async () => (await stored(documentId)).slug, 'new-name-1')
    expect((await stored(other.documentId)).slug).to.equal('new-name')
  })
})
