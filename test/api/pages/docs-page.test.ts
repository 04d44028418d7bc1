import { existsSync } from 'node:fs'
import { expect } from 'chai'
import { type Browser, chromium } from 'playwright-core'
import { declare, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'

describe('/api/docs in a browser', () => {
  let server: TestServer | undefined
  let browser: Browser | undefined
  before(async function () {
    if (!existsSync(CHROMIUM)) return this.skip()
    server = await serve('docs_browser', {
      contentTypes: { article: declare('article', { title: { type: 'string' } }) },
      permitted: ['api::article.article.find'],
    })
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  it('shows the public routes, and the routes of a token after a sign-in, without requests to other hosts', async () => {
    if (server === undefined || browser === undefined) throw new Error('nothing was started')
    const page = await browser.newPage()
    const host = `127.0.0.1:${server.port}`
    const asked = new Set<string>()
    const wrong: string[] = []
    page.on('request', (request) => asked.add(new URL(request.url()).host))
    page.on('console', (message) => {
      if (message.type() === 'error') wrong.push(message.text())
    })
    page.on('pageerror', (error) => wrong.push(String(error)))
    await page.goto(`http://${host}/api/docs`)
    await page.waitForSelector('.opblock-tag')
    expect(await page.locator('.opblock-tag').allTextContents()).to.have.length(1)
    await page.locator('.authorize').first().click()
    await page.locator('.auth-container input').fill(ROOT_TOKEN)
    await page.locator('.auth-btn-wrapper .authorize').click()
    await page.locator('.btn-done').click()
    await page.waitForSelector('.opblock-tag[data-tag="Users"]')
    expect([...asked]).to.deep.equal([host])
    expect(wrong).to.deep.equal([])
  })
})
