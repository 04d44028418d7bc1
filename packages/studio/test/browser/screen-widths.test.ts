import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

const ARTICLE = '/admin/content/api::article.article'

const SIZES = [
  { width: 320, height: 640 },
  { width: 3840, height: 2160 },
] as const

const SCREENS = [
  '',
  'content/articles',
  'content/articles/new',
  'content/homepage',
  'media',
  'calendar',
  'releases',
  'trash',
  'settings/account',
  'settings/locales',
  'settings/api-tokens',
  'settings/api-roles',
  'settings/users',
  'settings/administrators',
  'settings/administrator-roles',
  'settings/webhooks',
  'settings/audit',
  'settings/types',
] as const

describeInBrowser('the screens of the Studio', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
    await server.ask('POST', ARTICLE, { data: { title: 'One', slug: 'one', body: 'Text' } })
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  for (const screen of SCREENS) {
    it(`are accessible from 320 pixels to 4K, in light and dark: ${screen || 'home'}`, async () => {
      for (const size of SIZES) {
        await page.setViewportSize(size)
        await page.goto(`${server.address}/studio/${screen}`, { waitUntil: 'networkidle' })
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await expectAccessible(page, `${screen}, ${size.width} pixels`)
        await expectNoSidewaysScrolling(page, `${screen}, ${size.width} pixels`)
      }
    })
  }
})
