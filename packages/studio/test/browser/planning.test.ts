import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

describeInBrowser('the trash, schedules and releases', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const open = async (path: string, title: string): Promise<void> => {
    await page.goto(`${server.address}/studio/${path}`)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
  }

  for (const [path, title] of [
    ['trash', 'Trash'],
    ['calendar', 'Calendar'],
    ['releases', 'Releases'],
  ] as const) {
    it(`shows ${path}, by any reader and on a phone`, async () => {
      await open(path, title)
      await expectAccessible(page, path)
      await expectNoSidewaysScrolling(page, path)
    })
  }

  it('makes a release, which is empty at first', async () => {
    await open('releases', 'Releases')
    await page.getByRole('button', { name: 'New release' }).click()
    await page.getByLabel('Name').fill('Spring')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Spring' }).waitFor()
    await page.getByText('Nothing in it yet').waitFor()
    await expectAccessible(page, 'release')
    expect(page.url()).to.match(/releases\/[a-z0-9]{24}$/)
  })
})
