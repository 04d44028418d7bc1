import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { chooseGerman, untilStored } from './editors.ts'
import { takePicture } from './pictures.ts'
import { type Answer, type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

const ARTICLE = '/admin/content/api::article.article'

describeInBrowser('the entries of a release', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
    await server.ask('POST', '/admin/locales', { code: 'de' })
    for (const title of ['Harbour lights', 'Harbour fog', 'Mountains']) {
      const slug = title.toLowerCase().replace(' ', '-')
      await server.ask('POST', ARTICLE, { data: { title, slug, body: 'Text' } })
    }
    const { documentId } = (await server.ask('GET', `${ARTICLE}?filters[slug]=harbour-fog`)).data[0]
    const data = { title: 'Nebel im Hafen', slug: 'nebel', body: 'Text' }
    await server.ask('PUT', `${ARTICLE}/${documentId}?locale=de`, { data })
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const makeRelease = async (name: string): Promise<string> =>
    (await server.ask('POST', '/admin/releases', { data: { name } })).data.id
  const itemsOf = async (id: string): Promise<readonly string[]> =>
    (await server.ask('GET', `/admin/releases/${id}`)).data.items.map(
      ({ title, locale, action }: Answer) => `${action} ${title} ${locale}`,
    )
  const option = (name: string): Locator => page.getByRole('option', { name: new RegExp(name) })

  it('are added on its page, one after the other, with Undo', async () => {
    const id = await makeRelease('Autumn')
    await page.goto(`${server.address}/studio/releases/${id}`)
    await page.getByText('No entries yet').waitFor()
    await page.getByRole('button', { name: 'Add entries' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add entries' })
    await dialog.getByRole('searchbox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('harbour')
    await option('Harbour lights').waitFor()
    await expectAccessible(page, 'a search for entries of a release')
    await takePicture(page, 'release-add')
    await option('Harbour lights').click()
    await untilStored(() => itemsOf(id), ['publish Harbour lights en'])
    await dialog.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('option', { name: 'German' }).click()
    await option('Harbour fog').click()
    const both = ['publish Harbour lights en', 'publish Nebel im Hafen de']
    await untilStored(() => itemsOf(id), both)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    const list = page.getByRole('list', { name: 'Entries of the release' })
    await list.getByText('Nebel im Hafen').waitFor()
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await untilStored(() => itemsOf(id), both.slice(0, 1))
  })

  it('are added by keyboard, on a phone, in German', async () => {
    const id = await makeRelease('Winter')
    await chooseGerman(page, server)
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(`${server.address}/studio/releases/${id}`)
    await page.getByText('Drücken Sie „Einträge hinzufügen“').waitFor()
    await page.getByRole('button', { name: 'Einträge hinzufügen' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Einträge hinzufügen' })
    await dialog.getByRole('searchbox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('mountains')
    await option('Mountains').waitFor()
    await expectNoSidewaysScrolling(page, 'a search for entries on a phone')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await untilStored(() => itemsOf(id), ['publish Mountains en'])
    expect(window.complaints.filter((text) => !/status of 404/.test(text))).to.deep.equal([])
  })
})
