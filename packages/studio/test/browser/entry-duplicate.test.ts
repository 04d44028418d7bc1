import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import {
  chooseGerman,
  editorBefore,
  fieldAt,
  openPiece,
  PIECE,
  titleOf,
  untilSaved,
} from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('the copy of an entry', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const openedId = (): string => new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const make = async (data: object): Promise<string> => {
    const { documentId } = (await server.ask('POST', PIECE, { data })).data
    await server.ask('PUT', `${PIECE}/${documentId}?locale=de`, { data: { title: 'Deutsch' } })
    return documentId
  }
  const duplicate = async (name: string, menu: string): Promise<void> => {
    await page.getByRole('button', { name: menu, exact: true }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }

  it('opens as a draft with the typed values, in all languages, by one request', async () => {
    const original = await make({ title: 'Home and away', quotes: [{ text: 'A quote' }] })
    await server.ask('POST', `${PIECE}/${original}/actions/publish`)
    await openPiece(page, server, original)
    await fieldAt(page, 'teaser').getByRole('textbox').fill('Typed just now')
    await untilSaved(page)
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`)
    })
    await duplicate('Duplicate', 'More')
    await page.getByText('Duplicated. This is the copy.').waitFor()
    const copying = sent.filter((one) => !one.includes('/presence'))
    expect(copying.map(decodeURIComponent)).to.deep.equal([
      `POST ${server.address}${PIECE}/${original}/duplicate`,
    ])
    await page.waitForURL((url) => !url.pathname.endsWith(original))
    await titleOf(page).waitFor()
    expect(await titleOf(page).inputValue()).to.equal('Home and away')
    expect(await fieldAt(page, 'teaser').getByRole('textbox').inputValue()).to.equal(
      'Typed just now',
    )
    const slug = fieldAt(page, 'slug').getByRole('textbox')
    expect(await slug.inputValue()).to.equal('home-and-away-1')
    await page.locator('main header').getByText('Draft', { exact: true }).waitFor()
    await expectAccessible(page, 'copy')
    const { data } = await server.ask('GET', `${PIECE}/${openedId()}/locales`)
    expect(data.map(({ locale }: { locale: string }) => locale)).to.deep.equal(['de', 'en'])
  })

  it('names the fields that it lacks', async () => {
    await openPiece(page, server, await make({ title: 'Kept', secret: 'a long password' }))
    await duplicate('Duplicate', 'More')
    await page.getByText('Duplicated. The copy lacks: Secret').waitFor()
  })

  it('is made from the palette', async () => {
    const original = await make({ title: 'By keys' })
    await openPiece(page, server, original)
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox', { name: 'Search or go to' }).fill('dupl')
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.waitForURL((url) => !url.pathname.endsWith(original))
    expect(await titleOf(page).inputValue()).to.equal('By keys')
  })

  it('keeps a value that cannot be saved in the original form', async () => {
    const original = await make({ title: 'Faulty' })
    await openPiece(page, server, original)
    await fieldAt(page, 'pages').getByRole('textbox').fill('many')
    await duplicate('Duplicate', 'More')
    await fieldAt(page, 'pages').locator('[data-problem]').waitFor()
    expect(openedId()).to.equal(original)
    expect(await fieldAt(page, 'pages').getByRole('textbox').inputValue()).to.equal('many')
    await fieldAt(page, 'pages').getByRole('textbox').fill('')
    await fieldAt(page, 'pages').locator('[data-problem]').waitFor({ state: 'detached' })
  })

  it('speaks German in the German Studio', async () => {
    const original = await make({ title: 'Kopie' })
    await chooseGerman(page, server)
    await page.goto(`${server.address}/studio/content/pieces/${original}`)
    await titleOf(page).waitFor()
    await duplicate('Duplizieren', 'Mehr')
    await page.getByText('Dupliziert. Das ist die Kopie.').waitFor()
  })
})
