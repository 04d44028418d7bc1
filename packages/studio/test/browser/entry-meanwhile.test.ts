import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import {
  editorBefore,
  openPiece,
  PIECE,
  titleOf,
  untilPublished,
  untilSaved,
  untilStored,
} from './editors.ts'
import type { Server } from './server.ts'

const UID = 'api::piece.piece'

describeInBrowser('changes from elsewhere to an open entry', () => {
  let server: Server
  let page: Page
  editorBefore(async (opened) => {
    server = opened.server
    page = opened.window.page
    await page.clock.install()
  })

  const open = async (title: string): Promise<string> => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title } })).data
    await openPiece(page, server, documentId)
    await state('Draft').waitFor()
    return documentId
  }
  const state = (name: string): Locator =>
    page.locator('main header').getByText(name, { exact: true })
  /** Until the form looks again, also with a stream. */
  const later = () => page.clock.fastForward(61_000)
  const beginRelease = async (name: string, ...documentIds: readonly string[]): Promise<string> => {
    const { id } = (await server.ask('POST', '/admin/releases', { data: { name } })).data
    const items = documentIds.map((documentId) => ({ uid: UID, documentId, action: 'publish' }))
    if (items.length > 0)
      await server.ask('POST', `/admin/releases/${id}/items`, { data: { items } })
    return id
  }
  const itemsOf = async (id: string): Promise<readonly unknown[]> =>
    (await server.ask('GET', `/admin/releases/${id}`)).data.items.map(
      ({ documentId, locale, action }: Readonly<Record<string, string>>) => [
        documentId,
        locale,
        action,
      ],
    )

  it('shows the state, the history and the actions after a release published it', async () => {
    const documentId = await open('Of a release')
    const id = await beginRelease('Autumn', documentId)
    await later()
    const aside = page.getByRole('complementary', { name: 'About this entry' })
    await aside.getByRole('link', { name: 'Autumn' }).waitFor()
    await server.ask('POST', `/admin/releases/${id}/actions/publish`)
    await later()
    await untilPublished(page)
    await aside.getByText('Visible to apps since').waitFor()
    await aside.getByRole('link', { name: 'Autumn' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Publish', exact: true }).isDisabled()).to.equal(
      true,
    )
    await titleOf(page).fill('Of a release, and on')
    await untilSaved(page)
    await state('Changed').waitFor()
  })

  it('merges the changes of another user with local input', async () => {
    const documentId = await open('Two')
    await page.getByLabel('Contact', { exact: true }).fill('ada@example.org')
    await untilSaved(page)
    await server.ask('PUT', `${PIECE}/${documentId}`, { data: { teaser: 'from elsewhere' } })
    await later()
    await page.waitForFunction(
      () =>
        document.querySelector<HTMLTextAreaElement>('[data-field=teaser] textarea')?.value ===
        'from elsewhere',
    )
    const stored = async () => {
      const { contact, teaser } = (await server.ask('GET', `${PIECE}/${documentId}`)).data
      return [contact, teaser]
    }
    await untilStored(stored, ['ada@example.org', 'from elsewhere'])
  })

  it('shows its deletion, and keeps local input', async () => {
    const documentId = await open('Deleted elsewhere')
    await server.ask('DELETE', `${PIECE}/${documentId}`)
    await later()
    await page.getByText('This entry has been deleted').waitFor()
    expect(await titleOf(page).inputValue()).to.equal('Deleted elsewhere')
  })

  it('requests no facts after its own writes', async () => {
    await open('Quiet')
    const reads: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'GET' && /\/content\/[^/]+\/[a-z0-9]{24}\?/.test(request.url())) {
        reads.push(request.url())
      }
    })
    await titleOf(page).fill('Quiet, and saved')
    await untilSaved(page)
    const looked = page.waitForResponse(/\/locales$/)
    await later()
    await looked
    expect(reads).to.deep.equal([])
    page.removeAllListeners('request')
  })

  it('joins and leaves a release by keyboard', async () => {
    const documentId = await open('Joins')
    const id = await beginRelease('Winter')
    const add = page.getByRole('button', { name: 'Add to a release …' })
    await add.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Winter Release' }).waitFor()
    await expectAccessible(page, 'a release to choose')
    await dialog.getByRole('button', { name: 'Add', exact: true }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await add.and(page.locator(':focus')).waitFor()
    const leave = page.getByRole('button', { name: 'Remove from Winter' })
    await leave.waitFor()
    await page.getByText('Will be published').waitFor()
    await expectAccessible(page, 'an entry in a release')
    expect(await itemsOf(id)).to.deep.equal([[documentId, 'en', 'publish']])
    await leave.press('Enter')
    await leave.waitFor({ state: 'detached' })
    await add.and(page.locator(':focus')).waitFor()
    await untilStored(() => itemsOf(id), [])
    await page.keyboard.press('Control+z')
    await leave.waitFor()
    expect(await itemsOf(id)).to.deep.equal([[documentId, 'en', 'publish']])
    await page.getByRole('link', { name: 'Winter' }).click()
    await page.getByRole('heading', { level: 1, name: 'Winter' }).waitFor()
  })
})
