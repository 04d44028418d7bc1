import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

describeInBrowser('a server without a trash', () => {
  let server: Server
  let window: Window
  before(async () => {
    server = await startServer({ TRASH_DAYS: '0' })
    await server.ask('POST', '/api/categories', { data: { name: 'Maps', slug: 'maps' } })
    window = await openBrowser()
    await beFirst(window.page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  it('warns that the deletion of an entry is permanent', async () => {
    const { page } = window
    await page.goto(`${server.address}/studio/content/categories`)
    const maps = page.getByRole('row', { name: 'Maps' })
    await maps.locator('label').click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 1 entry?' })
    await dialog.getByText('You cannot undo this').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('1 entry deleted').waitFor()
    await maps.waitFor({ state: 'detached' })
  })
})
