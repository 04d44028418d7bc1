import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from './browser.ts'
import { editorBefore, fieldAt, PIECE, titleOf, untilPublished, untilSaved } from './editors.ts'
import type { Server } from './server.ts'

describeInBrowser('an entry by keyboard', function () {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  it('creates and publishes without a pointer', async () => {
    await page.goto(`${server.address}/studio/content/pieces/new`)
    await titleOf(page).waitFor()
    const tabTo = async (place: string): Promise<void> => {
      for (let presses = 0; presses < 80; presses += 1) {
        const isThere = await fieldAt(page, place).evaluate((field) =>
          field.contains(document.activeElement),
        )
        if (isThere) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab does not lead to ${place}`)
    }
    await tabTo('title')
    await page.keyboard.type('By keyboard')
    await tabTo('isNew')
    await page.keyboard.press('Space')
    await tabTo('kind')
    await page.keyboard.type('poem')
    await tabTo('author')
    await page.keyboard.type('Sapp')
    await page.getByRole('option', { name: 'Sappho' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await tabTo('sections')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.type('A chapter')
    await untilSaved(page)
    await page.keyboard.press('Control+Enter')
    await untilPublished(page)
    const query =
      'filters[title]=By%20keyboard&status=published&populate[author]=true&populate[sections]=true'
    const { data } = await server.ask('GET', `${PIECE}?${query}`)
    expect(data[0]).to.include({ kind: 'poem', isNew: true })
    expect(data[0].author.name).to.equal('Sappho')
    expect(data[0].sections[0].heading).to.equal('A chapter')
  })
})
