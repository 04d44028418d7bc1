import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import {
  editorBefore,
  fieldAt,
  openAs,
  openPiece,
  PIECE,
  titleOf,
  untilSaved,
  untilStored,
} from './editors.ts'
import type { Server } from './server.ts'

const UID = 'api::piece.piece'

describeInBrowser('orientation in the Studio', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const write = async (title: string): Promise<string> =>
    (await server.ask('POST', PIECE, { data: { title } })).data.documentId
  const studio = (path: string): string => `${server.address}/studio${path}`

  it('shows the title, the language and a way back for a missing translation', async () => {
    const documentId = await write('Only English')
    await page.goto(studio(`/content/pieces/${documentId}?locale=de`))
    await page.getByRole('heading', { level: 1, name: 'Only English' }).waitFor()
    await page.getByText('Not available in German yet').waitFor()
    await page.waitForFunction(() => document.title === 'Only English · Quire')
    await expectAccessible(page, 'an entry without the language')
    await page.getByRole('main').getByRole('link', { name: 'Pieces' }).click()
    await page.getByRole('heading', { level: 1, name: 'Pieces' }).waitFor()
  })

  it('shows landmarks and a way home for a missing entry and a wrong address', async () => {
    for (const path of [`/content/pieces/${'a'.repeat(24)}`, '/no-such-page', '/content/nothing']) {
      await page.goto(studio(path))
      await page
        .getByRole('main')
        .getByRole('heading', { level: 1, name: 'Page not found' })
        .waitFor()
      expect(await page.getByRole('main').count()).to.equal(1)
      expect(await page.title()).to.equal('Page not found · Quire')
      await page.getByRole('link', { name: 'Go to the home screen' }).click()
      await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor()
    }
  })

  it('names the language in the header of existing and new entries', async () => {
    await openPiece(page, server, await write('Which language'))
    await page.locator('main header').getByText('English', { exact: true }).waitFor()
    await page.goto(studio('/content/pieces/new?locale=de'))
    await page.locator('main header').getByText('German', { exact: true }).waitFor()
  })

  it('has one tab stop per language of an entry', async () => {
    await openPiece(page, server, await write('Stops'))
    const languages = page
      .getByRole('complementary')
      .getByRole('listitem')
      .filter({ hasText: 'German' })
    await languages.getByRole('link', { name: 'Translate: German' }).waitFor()
    expect(await languages.getByRole('link').count()).to.equal(1)
  })

  it('recovers when the server is reachable again', async () => {
    const documentId = await write('Back again')
    await page.goto(studio(''))
    await page.route('**/admin/content/**', (route) => route.abort())
    const link = page.getByRole('link', { name: 'Pieces' }).first()
    await link.click()
    await page.goto(studio(`/content/pieces/${documentId}`))
    await page.getByText('The server cannot be reached').waitFor()
    await page.unroute('**/admin/content/**')
    await titleOf(page).waitFor()
    expect(await titleOf(page).inputValue()).to.equal('Back again')
  })

  it('updates the count of entries in the navigation after a creation', async () => {
    await page.goto(studio('/content/pieces/new'))
    const { data } = await server.ask('GET', '/admin/counts')
    const pieces = page.getByRole('navigation').getByRole('link', { name: /^Pieces/ })
    await pieces.getByText(String(data[UID])).waitFor()
    await titleOf(page).fill('One more')
    await untilSaved(page)
    await pieces.getByText(String(data[UID] + 1)).waitFor()
  })

  it('opens relation suggestions on a press or on input, best matches first', async () => {
    for (const name of ['Auckland', 'Iceland', 'Land of Oz']) {
      await server.ask('POST', '/admin/content/api::person.person', { data: { name } })
    }
    await openPiece(page, server, await write('Suggestions'))
    const box = fieldAt(page, 'author').getByRole('combobox')
    await box.focus()
    expect(await box.getAttribute('aria-expanded')).to.equal('false')
    await box.click()
    await page.getByRole('option', { name: 'New person' }).waitFor()
    await box.fill('land')
    await page.getByRole('option', { name: 'New: land' }).waitFor()
    const options = await page.getByRole('option').allInnerTexts()
    expect(options.map((text) => text.trim())).to.deep.equal([
      'Land of Oz',
      'Auckland',
      'Iceland',
      'New: land',
    ])
    await box.press('Escape')
  })

  it('hides actions that the role of an author does not allow', async () => {
    await server.ask('POST', '/admin/administrators', {
      name: 'Anna',
      email: 'anna@example.org',
      password: 'a horse, a battery and a staple',
      roles: ['author'],
    })
    const anna = await openAs(server, 'Anna')
    try {
      await openPiece(anna.page, server, await write('Of an author'))
      const aside = anna.page.getByRole('complementary', { name: 'About this entry' })
      await aside.getByText('Save', { exact: false }).first().waitFor()
      expect(await aside.getByText('Publish', { exact: true }).count()).to.equal(0)
      await anna.page.getByRole('button', { name: 'More', exact: true }).click()
      await anna.page.getByRole('menuitem', { name: 'Discard changes' }).waitFor()
      expect(await anna.page.getByRole('menuitem', { name: 'Unpublish' }).count()).to.equal(0)
      await anna.page.goto(studio('/settings/audit'))
      await anna.page.getByText('Your role does not allow this').waitFor()
    } finally {
      await anna.close()
    }
  })

  it('requires a role for a new person, and the number of entries to delete a locale', async () => {
    await page.goto(studio('/settings/administrators'))
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Grace')
    await dialog.getByLabel('E-mail').fill('roleless@example.org')
    await dialog.getByText('Editor', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Choose at least one role.').waitFor()
    const documentId = await write('To be deleted')
    await server.ask('PUT', `${PIECE}/${documentId}?locale=de`, { data: { title: 'Weg' } })
    await page.goto(studio('/settings/locales'))
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('This also deletes 1 entry in this language permanently.').waitFor()
    const confirm = dialog.getByRole('button', { name: 'Delete' })
    expect(await confirm.isDisabled()).to.equal(true)
    await expectAccessible(page, 'the deletion of a locale')
    await dialog.getByLabel('Type 1 to confirm').fill('1')
    await confirm.click()
    const codes = async () =>
      (await server.ask('GET', '/admin/locales')).data.map(({ code }: { code: string }) => code)
    await untilStored(codes, ['en'])
  })

  it('shows the logo in dark mode', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(studio(''))
    const fill = await page
      .locator('[data-mark] rect')
      .first()
      .evaluate((rect) => getComputedStyle(rect).fill)
    const [red = 0] = (/\d+/.exec(fill) ?? []).map(Number)
    expect(red).to.be.above(200)
    await page.emulateMedia({ colorScheme: 'light' })
  })
})
