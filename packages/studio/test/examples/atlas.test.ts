import { expect } from 'chai'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from '../browser/accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from '../browser/browser.ts'
import { type Atlas, startAtlas } from './atlas-app.ts'

/** Where pictures of what is seen go, where somebody wants to look at them. */
const PICTURES = process.env['QUIRE_ATLAS_PICTURES']

const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 } }

describeInBrowser('the example app', function () {
  let atlas: Atlas
  let window: Window
  let page: Page

  before(async function () {
    this.timeout(180_000) // the sample comes into the database
    atlas = await startAtlas()
    window = await openBrowser(PHONE)
    page = window.page
  })
  after(async () => {
    await window.close()
    await atlas.stop()
  })

  const goto = (path: string) => page.goto(`${atlas.address}/#/${path}`)
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 })
  const picture = async (name: string): Promise<void> => {
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png` })
  }

  it('shows articles with images, and countries', async () => {
    await goto('articles')
    await heading('Articles').waitFor()
    await page.locator('.card .picture img.loaded').first().waitFor()
    await picture('articles')
    const frame = page.locator('.card .picture').first()
    expect(await frame.evaluate((one) => one.style.backgroundImage)).to.match(/^url\("data:image/)
    await expectNoSidewaysScrolling(page, 'articles')
    await expectAccessible(page, 'articles')
    await page.locator('.card').first().click()
    await page.locator('article h1').waitFor()
    await picture('article')
    await expectNoSidewaysScrolling(page, 'article')
    await expectAccessible(page, 'article')
    await goto('countries')
    await page.getByLabel('Find a country').fill('switz')
    expect(await page.locator('.rows li').allInnerTexts()).to.have.length(1)
    await picture('countries')
    await expectAccessible(page, 'countries')
    await page.getByRole('link', { name: 'Switzerland' }).click()
    await heading('Switzerland').waitFor()
    await page.getByRole('link', { name: 'Liechtenstein' }).waitFor()
    await picture('country')
    await expectNoSidewaysScrolling(page, 'country')
  })

  it('searches by relevance on the server, and on the device without a network', async () => {
    let isIndexed = false
    while (!isIndexed) {
      const { data } = await atlas.server.ask('GET', '/api/_search?q=river+zimbabwe')
      isIndexed = data.length === 2
    }
    await goto('search')
    const field = page.getByLabel('Search articles and countries')
    await field.fill('rivers') // no text has this form
    await page.getByText('Found by the server').waitFor()
    const hit = page.getByRole('link', { name: 'A hundred and fifty metres of river' })
    await hit.waitFor()
    expect(await hit.locator('mark').first().innerText()).to.equal('river')
    await picture('search')
    await expectNoSidewaysScrolling(page, 'search')
    await expectAccessible(page, 'search')
    await field.fill('swizterland')
    await page.getByText('Searched for: switzerland').waitFor()
    await page.getByRole('link', { name: /^Switzerland/ }).waitFor()
    await page.context().setOffline(true)
    await field.fill('fifty metr')
    await page.getByText('Found on this device').waitFor()
    await hit.waitFor()
    expect(await page.locator('mark').count()).to.equal(0)
    await page.context().setOffline(false)
    await field.fill('switzerland')
    await page.getByRole('link', { name: /^Switzerland/ }).click()
    await heading('Switzerland').waitFor()
  })

  it('lists the nearest cities of a country in pages', async () => {
    const distances = async (): Promise<readonly number[]> =>
      (await page.locator('.city .quiet').allInnerTexts()).map((text) =>
        Number(text.replace(/,| km$/g, '')),
      )
    await page.getByRole('link', { name: 'Cities nearby' }).click()
    await heading('Cities near Switzerland').waitFor()
    await page.locator('.city').nth(19).waitFor()
    expect(await distances()).to.have.length(20)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.locator('.city').nth(39).waitFor()
    const all = await distances()
    expect(all).to.have.length(40)
    expect(all).to.deep.equal(all.toSorted((one, other) => one - other))
    expect(all[0]).to.be.below(200)
    await picture('nearby')
    await expectNoSidewaysScrolling(page, 'nearby')
    await expectAccessible(page, 'nearby')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('The list of cities needs a network.').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.locator('.city').nth(59).waitFor()
    await page.goBack()
    await heading('Switzerland').waitFor()
  })

  it('speaks German', async () => {
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await heading('Schweiz').waitFor()
    await picture('german')
    await page.getByRole('button', { name: 'English' }).click()
    await heading('Switzerland').waitFor()
  })

  /** Renames a country that is shown, and back. */
  async function renameSwitzerland(shown: Page): Promise<void> {
    const { data } = await atlas.server.ask('GET', '/api/countries?filters[cca3]=CHE')
    const target = `/api/countries/${data[0].documentId}`
    for (const name of ['Switzerland, renamed', 'Switzerland']) {
      await atlas.server.ask('PUT', target, { data: { name } })
      await shown.getByRole('heading', { name, level: 1, exact: true }).waitFor()
    }
  }

  it('shows new content live', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await Promise.all([page.waitForRequest(/\/api\/_live/), page.reload()])
    await heading('Switzerland').waitFor()
    const isToldOfChanges = (): boolean => {
      const last = asked.findLast((url) => url.includes('/api/_sync'))
      return last?.includes('token=') === true && !last.includes('wait=')
    }
    do await renameSwitzerland(page)
    while (!isToldOfChanges()) // until the stream is there, requests wait
  })

  it('polls for new content without a stream', async () => {
    const other = await openBrowser(PHONE)
    try {
      await other.page.route('**/api/_live*', (route) => route.abort())
      await other.page.goto(`${atlas.address}/#/countries`)
      await other.page.getByLabel('Find a country').fill('switz')
      await other.page.getByRole('link', { name: 'Switzerland' }).click()
      await renameSwitzerland(other.page)
    } finally {
      await other.close()
    }
  })

  it('works offline, even after a restart, and catches up online', async () => {
    await page.evaluate(() => navigator.serviceWorker.ready)
    await goto('articles')
    await page.locator('.card .picture img.loaded').first().waitFor()
    await atlas.goDown() // neither the app nor Quire can be reached
    await page.context().setOffline(true)
    await page.reload()
    await heading('Articles').waitFor()
    await page.getByText('Offline', { exact: false }).waitFor()
    await picture('offline')
    await page.locator('.card').first().click()
    await page.locator('article h1').waitFor()
    await goto('countries')
    await page.getByLabel('Find a country').fill('austria')
    await page.getByRole('link', { name: 'Austria' }).click()
    await heading('Austria').waitFor()
    const { data } = await atlas.server.ask('GET', '/api/countries?filters[cca3]=AUT')
    const target = `/api/countries/${data[0].documentId}`
    await atlas.server.ask('PUT', target, { data: { name: 'Austria, meanwhile' } })
    expect(await heading('Austria, meanwhile').count()).to.equal(0)
    await atlas.comeBack()
    await page.context().setOffline(false)
    await heading('Austria, meanwhile').waitFor({ timeout: 20_000 })
    await page.waitForFunction(() => document.querySelector('.notice')?.textContent === '')
    await atlas.server.ask('PUT', target, { data: { name: 'Austria' } })
  })

  it('signs people in, and keeps them signed in offline', async () => {
    await goto('account')
    await page.getByRole('button', { name: 'I have no account yet' }).click()
    await page.getByLabel('User name').fill('marie')
    await page.getByLabel('E-mail').fill('marie@example.org')
    await page.getByLabel('Password').fill('a horse and a battery')
    await picture('account')
    await expectAccessible(page, 'account')
    await page.getByRole('button', { name: 'Make an account' }).click()
    await page.getByText('You are signed in as marie.').waitFor()
    await page.reload()
    await page.getByText('You are signed in as marie.').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('User name').fill('marie')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The name or the password is wrong.').waitFor()
    await page.getByLabel('Password').fill('a horse and a battery')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('You are signed in as marie.').waitFor()
    await goto('articles')
    expect(await page.locator('.card').count()).to.be.above(3)
  })
})
