import { expectAccessible } from '../browser/accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from '../browser/browser.ts'
import { fieldAt, titleOf } from '../browser/editors.ts'
import { type Server, startServer } from '../browser/server.ts'

describeInBrowser('the preview of the demo', () => {
  let server: Server
  let window: Window
  before(async function () {
    this.timeout(120_000)
    server = await startServer({}, 'dist/tools/bench/src/demo.js')
    window = await openBrowser()
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  it('shows an article as it is typed, and opens the fields of its parts', async () => {
    const { page } = window
    const { data } = await server.ask('GET', '/api/articles?fields=title&pagination[pageSize]=1')
    await page.goto(await server.signInLink())
    await page.getByRole('button').first().click()
    await page.getByRole('link', { name: 'Articles' }).first().waitFor()
    await page.goto(`${server.address}/studio/content/articles/${data[0].documentId}`)
    await page.getByRole('button', { name: 'Preview' }).click()
    const site = page.frameLocator('iframe:visible')
    await site.getByRole('heading', { name: data[0].title }).waitFor()
    await site.locator('[data-quire-field=excerpt]').click()
    await fieldAt(page, 'excerpt').locator(':focus').waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Typed a moment ago')
    await site.getByText('Typed a moment ago').waitFor()
    await titleOf(page).fill('A title that nobody has saved')
    await site.getByRole('heading', { name: 'A title that nobody has saved' }).waitFor()
    await expectAccessible(page, 'live preview')
  })
})
