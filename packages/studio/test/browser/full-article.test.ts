import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { fieldAt, untilSaved } from './editors.ts'
import { type Answer, type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

const MAX_CLICKS = 16
const ARTICLE = '/admin/content/api::article.article'
const COUNTRIES = ['Botswana', 'Chile', 'Denmark'] as const

/** One red pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

describeInBrowser('a full article', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
    const create = (uid: string, data: object): Promise<Answer> =>
      server.ask('POST', `/admin/content/${uid}`, { data })
    await create('api::category.category', { name: 'Borders', slug: 'borders' })
    for (const name of COUNTRIES) {
      const code = name.slice(0, 3).toUpperCase()
      const data = { name, cca2: code.slice(0, 2), cca3: code, region: 'Europe' }
      await create('api::country.country', data)
    }
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  it(`takes at most ${MAX_CLICKS} clicks with SEO, two sections, relations and a cover`, async () => {
    let clicks = 0
    const click = async (what: Locator): Promise<void> => {
      clicks += 1
      await what.click()
    }
    const choose = async (place: string, names: readonly string[]): Promise<void> => {
      await click(fieldAt(page, place).getByRole('combobox'))
      for (const name of names) {
        await page.keyboard.type(name)
        await page.getByRole('option', { name }).first().waitFor()
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Enter')
        await fieldAt(page, place).getByRole('listitem').filter({ hasText: name }).waitFor()
      }
    }
    await page.goto(`${server.address}/studio`)
    await click(page.getByRole('link', { name: 'New article' }).first())
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('A border in the sea')
    const chooser = page.waitForEvent('filechooser')
    await click(fieldAt(page, 'cover').getByRole('button', { name: 'Upload' }))
    await (await chooser).setFiles({ name: 'sea.png', mimeType: 'image/png', buffer: PICTURE })
    await click(fieldAt(page, 'cover').getByRole('button', { name: /^sea.png \d/ }))
    await page.getByRole('dialog').getByLabel('Alternative text').fill('The sea')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await click(page.getByRole('button', { name: 'Add SEO' }))
    await page.keyboard.type('Borders in the sea')
    for (const at of [0, 1]) {
      await click(fieldAt(page, 'sections').getByRole('button', { name: 'Add a component' }))
      await click(page.getByRole('menuitem').nth(at))
    }
    await choose('category', ['Borders'])
    await choose('countries', COUNTRIES)
    await fieldAt(page, 'body').getByRole('textbox').first().click()
    clicks += 1
    await page.keyboard.type('The border is a line.')
    await untilSaved(page)
    expect(clicks).to.be.at.most(MAX_CLICKS)
    const query = 'populate[countries]=true&populate[category]=true&populate[cover]=true'
    const { data } = await server.ask('GET', `${ARTICLE}?${query}&populate[sections]=true`)
    const [article] = data
    expect(article.countries.map(({ name }: Answer) => name)).to.deep.equal(COUNTRIES)
    expect(article.category.name).to.equal('Borders')
    expect(article.cover.alternativeText).to.equal('The sea')
    expect(article.sections).to.have.length(2)
  })
})
