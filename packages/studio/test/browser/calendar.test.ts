import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { chooseGerman } from './editors.ts'
import { takePicture } from './pictures.ts'
import { type Server, startServer } from './server.ts'
import { beFirst, signIn } from './signed-in.ts'

/** A March in the future: summer time starts in Berlin on its last Sunday. */
const YEAR = new Date().getFullYear() + 1
const LAST_SUNDAY = 31 - new Date(Date.UTC(YEAR, 2, 31)).getUTCDay()
const ARTICLE = '/admin/content/api::article.article'

const march = (day: number): string => `${YEAR}-03-${String(day).padStart(2, '0')}`

const dateIn = (language: string, day: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(day))

const todayInBerlin = (): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(new Date())

/** Pixels by which a schedule reaches beyond its day. */
const widest = (page: Page): Promise<number> =>
  page
    .getByRole('gridcell')
    .evaluateAll((cells) =>
      Math.max(
        ...cells.flatMap((cell) =>
          [...cell.querySelectorAll('a')].map(
            (link) => link.getBoundingClientRect().right - cell.getBoundingClientRect().right,
          ),
        ),
      ),
    )

describeInBrowser('the calendar', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    window = await openBrowser({ timezoneId: 'Europe/Berlin' })
    page = window.page
    await beFirst(page, server)
    await plan('Before midnight', `${march(LAST_SUNDAY)}T21:59:00.000Z`)
    await plan('After midnight', `${march(LAST_SUNDAY)}T22:00:00.000Z`)
    await plan('Last day of winter', `${march(LAST_SUNDAY - 1)}T22:59:00.000Z`)
    for (const title of ['One', 'Two', 'Three', 'Four', 'Five']) {
      await plan(title, `${march(10)}T08:00:00.000Z`)
    }
    await plan('Ends', `${march(17)}T11:30:00.000Z`, 'unpublish')
    const { id } = (await server.ask('POST', '/admin/releases', { data: { name: 'Spring' } })).data
    const items = [{ ...(await write('In the release')), action: 'publish' }]
    await server.ask('POST', `/admin/releases/${id}/items`, { data: { items } })
    const at = `${march(17)}T12:00:00.000Z`
    await server.ask('POST', `/admin/releases/${id}/actions/publish`, { data: { at } })
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const write = async (title: string) => {
    const slug = title.toLowerCase().replaceAll(' ', '-')
    const { data } = await server.ask('POST', ARTICLE, { data: { title, slug, body: 'Text' } })
    return { uid: 'api::article.article', documentId: data.documentId as string, locale: 'en' }
  }
  const plan = async (title: string, at: string, action = 'publish'): Promise<void> => {
    const { documentId } = await write(title)
    if (action === 'unpublish') {
      await server.ask('POST', `${ARTICLE}/${documentId}/actions/publish`)
    }
    await server.ask('POST', `${ARTICLE}/${documentId}/actions/${action}`, { data: { at } })
  }

  const cell = (day: string, language = 'en'): Locator =>
    page.getByRole('gridcell', { name: dateIn(language, day) })
  const open = async (search = '', title = 'Calendar'): Promise<void> => {
    await page.goto(`${server.address}/studio/calendar${search}`)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await page.locator('[role=grid][aria-busy=false]').waitFor()
  }
  const openMarch = (title?: string): Promise<void> => open(`?month=${YEAR}-03`, title)
  const untilFocused = async (day: string): Promise<void> => {
    await page.waitForFunction(
      (wanted) => document.activeElement?.getAttribute('data-day') === wanted,
      day,
    )
  }
  const press = async (key: string, day: string): Promise<void> => {
    await page.keyboard.press(key)
    await untilFocused(day)
  }
  const monthName = (name: string): Locator => page.getByRole('grid', { name })

  it('shows schedules on the days of the browser, also when summer time starts', async () => {
    await openMarch()
    await cell(march(LAST_SUNDAY))
      .getByRole('link', { name: /Before midnight/ })
      .waitFor()
    await cell(march(LAST_SUNDAY - 1))
      .getByRole('link', { name: /11:59\sPM Last day/ })
      .waitFor()
    const next = new Date(Date.parse(march(LAST_SUNDAY)) + 86_400_000).toISOString().slice(0, 10)
    await cell(next)
      .getByRole('link', { name: /12:00\sAM After midnight/ })
      .waitFor()
    await page
      .getByRole('gridcell', { name: `${dateIn('en', march(LAST_SUNDAY))}, 1 schedule ` })
      .waitFor()
    const empty = `${dateIn('en', march(3))}, no schedules`
    await page.getByRole('gridcell', { name: empty, exact: true }).waitFor()
    const release = cell(march(17)).getByRole('link', { name: /Spring/ })
    expect(await release.getAttribute('title')).to.match(/· Release$/)
    expect(await widest(page)).to.be.at.most(0)
    await takePicture(page, 'calendar-month')
    await expectAccessible(page, 'the calendar')
    await expectNoSidewaysScrolling(page, 'the calendar')
  })

  it('reads the visible days with one request', async () => {
    await openMarch()
    const asked: URL[] = []
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.pathname === '/admin/schedules') asked.push(url)
    })
    await page.getByRole('button', { name: 'Next month' }).click()
    await monthName(`April ${YEAR}`).and(page.locator('[aria-busy=false]')).waitFor()
    expect(asked).to.have.length(1)
    const days = await page
      .getByRole('gridcell')
      .evaluateAll((cells) => [
        cells[0]?.getAttribute('data-day'),
        cells.at(-1)?.getAttribute('data-day'),
      ])
    const local = (value: string | null | undefined): string =>
      new Intl.DateTimeFormat('sv-SE', {
        timeZone: 'Europe/Berlin',
        dateStyle: 'short',
        timeStyle: 'medium',
      }).format(new Date(value ?? ''))
    const query = asked[0]?.searchParams
    expect(local(query?.get('from'))).to.equal(`${days[0]} 00:00:00`)
    const end = new Date(Date.parse(days[1] ?? '') + 86_400_000).toISOString().slice(0, 10)
    expect(local(query?.get('until'))).to.equal(`${end} 00:00:00`)
  })

  it('opens a day with all its schedules, and keeps it in the address', async () => {
    await openMarch()
    const tenth = cell(march(10))
    expect(await tenth.getByRole('link').count()).to.equal(2)
    await tenth.getByRole('button', { name: '+3 more' }).click()
    const dialog = page.getByRole('dialog', { name: dateIn('en', march(10)) })
    expect(await dialog.getByRole('link').count()).to.equal(5)
    await expectAccessible(page, 'an open day')
    await page.reload()
    await dialog.getByRole('link', { name: 'Five' }).click()
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
    await page.goBack()
    await dialog.waitFor()
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    await monthName(`March ${YEAR}`).waitFor()
  })

  it('returns to the month after a reload, and with Back', async () => {
    await openMarch()
    await page.getByRole('button', { name: 'Previous month' }).click()
    await monthName(`February ${YEAR}`).waitFor()
    await page.reload()
    await monthName(`February ${YEAR}`).waitFor()
    await page.goBack()
    await monthName(`March ${YEAR}`).waitFor()
    await page.getByRole('button', { name: 'Today' }).click()
    await page.waitForURL((url) => url.search === '')
    const today = page.locator('[aria-current=date]')
    expect(await today.getAttribute('data-day')).to.equal(todayInBerlin())
  })

  it('is one tab stop, and moves by day, week and month', async () => {
    await openMarch()
    await page.getByRole('button', { name: 'Today' }).focus()
    await press('Tab', march(1))
    await press('ArrowRight', march(2))
    await press('ArrowDown', march(9))
    await press('ArrowLeft', march(8))
    await press('ArrowUp', march(1))
    await press('ArrowLeft', `${YEAR}-02-28`)
    await monthName(`February ${YEAR}`).waitFor()
    await press('PageDown', march(28))
    await press('PageDown', `${YEAR}-04-28`)
    await press('Shift+PageUp', `${YEAR - 1}-04-28`)
    await press('Shift+PageDown', `${YEAR}-04-28`)
    await press('PageUp', march(28))
    await page.keyboard.press('Tab')
    const isInside = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.closest('[role=grid]') !== null)
    expect(await isInside()).to.equal(false)
    await press('Shift+Tab', march(28))
  })

  it('moves to any day after a key that leads to the same day', async () => {
    await openMarch()
    await page.getByRole('button', { name: 'Today' }).focus()
    await press('Tab', march(1))
    await press('ArrowDown', march(8))
    await page.keyboard.press('Home')
    await page.keyboard.press('Home')
    const start = await page.evaluate(() => document.activeElement?.getAttribute('data-day') ?? '')
    const next = march(Number(start.slice(-2)) + 1)
    await cell(next).click({ position: { x: 60, y: 12 } })
    await page.getByRole('dialog', { name: dateIn('en', next) }).waitFor()
    await page.keyboard.press('Escape')
    await untilFocused(next)
    await press('ArrowLeft', start)
  })

  it('opens a day with Enter, and returns the focus to it', async () => {
    await openMarch()
    await page.getByRole('button', { name: 'Today' }).focus()
    await press('Tab', march(1))
    for (const [key, dialogName] of [
      ['Enter', march(1)],
      ['Space', march(1)],
    ] as const) {
      await page.keyboard.press(key)
      const dialog = page.getByRole('dialog', { name: dateIn('en', dialogName) })
      await dialog.getByText('No schedules on this day').waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await untilFocused(march(1))
    }
    await cell(march(10)).click({ position: { x: 60, y: 12 } })
    await page.getByRole('dialog').getByRole('link').first().waitFor()
    await page.keyboard.press('Escape')
    await untilFocused(march(10))
    await press('ArrowLeft', march(9))
    await press('ArrowRight', march(10))
  })

  it('explains an empty month in one sentence', async () => {
    await open(`?month=${YEAR}-08`)
    await page.getByText(/^No schedules in this month: /).waitFor()
    await expectAccessible(page, 'an empty month')
    await openMarch()
    expect(await page.getByText(/^No schedules in this month: /).count()).to.equal(0)
  })

  it('offers a retry when the schedules cannot be read', async () => {
    const path = '**/admin/schedules?from*'
    await page.route(path, (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto(`${server.address}/studio/calendar?month=${YEAR}-03`)
    const retry = page.getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    await expectAccessible(page, 'a failed calendar')
    await page.unroute(path)
    await retry.click()
    await cell(march(17))
      .getByRole('link', { name: /Spring/ })
      .waitFor()
    await retry.waitFor({ state: 'detached' })
  })

  it('shows dots, and the list by day below them, on a phone', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    await openMarch()
    const list = page.getByRole('region', { name: /10/ })
    expect(await list.getByRole('link').count()).to.equal(5)
    expect(await page.getByRole('grid').getByRole('link').count()).to.equal(0)
    await expectNoSidewaysScrolling(page, 'the calendar on a phone')
    await expectAccessible(page, 'the calendar on a phone')
    await takePicture(page, 'calendar-phone')
    await cell(march(17)).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Spring' }).waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('starts weeks on Monday in Britain, and on Sunday in the United States', async () => {
    const first = (where: Page): Promise<string | null> =>
      where.getByRole('columnheader').first().getAttribute('aria-label')
    await openMarch()
    expect(await first(page)).to.equal('Monday')
    const american = await openBrowser({ locale: 'en-US', timezoneId: 'America/New_York' })
    try {
      await signIn(american.page, server)
      await american.page.goto(`${server.address}/studio/calendar?month=${YEAR}-03`)
      await american.page.getByRole('grid').waitFor()
      expect(await first(american.page)).to.equal('Sunday')
    } finally {
      await american.close()
    }
  })

  it('speaks German, with Monday first', async () => {
    await chooseGerman(page, server)
    await openMarch('Kalender')
    await monthName(`März ${YEAR}`).waitFor()
    expect(await page.getByRole('columnheader').first().getAttribute('aria-label')).to.equal(
      'Montag',
    )
    const tenth = cell(march(10), 'de')
    const spoken = `${dateIn('de', march(10))}, 5 Planungen `
    await page.getByRole('gridcell', { name: spoken }).waitFor()
    await tenth
      .getByRole('link', { name: /^09:00/ })
      .first()
      .waitFor()
    await tenth.getByText('+3 weitere').waitFor()
    await takePicture(page, 'calendar-german')
    await page.getByRole('button', { name: 'Heute' }).focus()
    await press('Tab', march(1))
    await press('End', lastOfWeek(march(1)))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('An diesem Tag ist nichts geplant').waitFor()
    await page.keyboard.press('Escape')
    await open(`?month=${YEAR}-08`, 'Kalender')
    await page.getByText(/^In diesem Monat ist nichts geplant: /).waitFor()
  })

  /** The Sunday of a week that starts on Monday. */
  const lastOfWeek = (day: string): string => {
    const date = new Date(day)
    date.setUTCDate(date.getUTCDate() + ((7 - date.getUTCDay()) % 7))
    return date.toISOString().slice(0, 10)
  }
})
