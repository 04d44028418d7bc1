import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import {
  chooseGerman,
  editorBefore,
  fieldAt,
  openPiece,
  PIECE,
  titleOf,
  untilPublished,
  untilSaved,
} from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('the changes since the publication', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const publish = async (data: object): Promise<string> => {
    const { documentId } = (await server.ask('POST', PIECE, { data })).data
    await server.ask('POST', `${PIECE}/${documentId}/actions/publish`)
    return documentId
  }
  const counted = (text: string) => page.getByRole('button', { name: text, exact: true })

  it('are counted next to Publish, without a request of their own', async () => {
    await openPiece(page, server, await publish({ title: 'As published', teaser: 'Old' }))
    await untilPublished(page)
    expect(await page.getByRole('button', { name: /changed$/ }).count()).to.equal(0)
    const sent: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (!/presence|locales$/.test(pathname)) sent.push(`${request.method()} ${pathname}`)
    })
    await fieldAt(page, 'teaser').getByRole('textbox').fill('New')
    await counted('1 field changed').waitFor()
    expect(
      sent.filter((one) => one.includes('/admin/')).map((one) => one.slice(0, 3)),
    ).to.deep.equal(['PUT'])
    await titleOf(page).fill('As drafted')
    await counted('2 fields changed').waitFor()
    await page.getByRole('button', { name: 'Publish changes' }).click()
    await untilPublished(page)
    await page.getByRole('button', { name: /changed$/ }).waitFor({ state: 'detached' })
  })

  it('open as a comparison of both versions', async () => {
    const documentId = await publish({ title: 'The first words', teaser: 'Old' })
    await server.ask('PUT', `${PIECE}/${documentId}`, { data: { title: 'The second words' } })
    await openPiece(page, server, documentId)
    await counted('1 field changed').click()
    const dialog = page.getByRole('dialog', { name: 'Changes since the publication' })
    const change = dialog.getByRole('listitem').filter({ hasText: 'Title' })
    await change.locator('del', { hasText: 'first' }).waitFor()
    await change.locator('ins', { hasText: 'second' }).waitFor()
    expect(await dialog.getByText('Teaser').count()).to.equal(0)
    await expectAccessible(page, 'unpublished changes')
    await page.setViewportSize({ width: 360, height: 720 })
    await expectNoSidewaysScrolling(page, 'unpublished changes')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expectNoSidewaysScrolling(page, 'an entry with unpublished changes')
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('include the words typed a moment ago', async () => {
    const documentId = await publish({ title: 'Early words' })
    await server.ask('PUT', `${PIECE}/${documentId}`, { data: { teaser: 'Changed' } })
    await openPiece(page, server, documentId)
    await titleOf(page).fill('Late words')
    await page.getByRole('button', { name: /changed$/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Changes since the publication' })
    await dialog.locator('ins', { hasText: 'Late' }).waitFor()
    await page.keyboard.press('Escape')
    await untilSaved(page)
  })

  it('are counted in German in the German Studio', async () => {
    const documentId = await publish({ title: 'Zuerst' })
    await server.ask('PUT', `${PIECE}/${documentId}`, { data: { title: 'Danach', teaser: 'Neu' } })
    await chooseGerman(page, server)
    await page.goto(`${server.address}/studio/content/pieces/${documentId}`)
    await counted('2 Felder geändert').click()
    await page.getByRole('dialog', { name: 'Änderungen seit der Veröffentlichung' }).waitFor()
  })
})
