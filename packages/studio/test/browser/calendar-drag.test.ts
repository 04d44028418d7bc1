import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { chooseGerman } from './editors.ts'
import { type Answer, type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

/** A March in the future: summer time starts in Berlin on its last Sunday. */
const YEAR = new Date().getFullYear() + 1
const LAST_SUNDAY = 31 - new Date(Date.UTC(YEAR, 2, 31)).getUTCDay()
const ARTICLE = '/admin/content/api::article.article'

const march = (day: number): string => `${YEAR}-03-${String(day).padStart(2, '0')}`

describeInBrowser('schedules that are dragged in the calendar', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    window = await openBrowser({ timezoneId: 'Europe/Berlin' })
    page = window.page
    await beFirst(page, server)
    await server.ask('POST', '/admin/locales', { code: 'de' })
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const plan = async (title: string, at: string, query = ''): Promise<string> => {
    const data = { title, slug: title.toLowerCase().replaceAll(' ', '-'), body: 'Text' }
    const { documentId } = (await server.ask('POST', ARTICLE, { data })).data
    const target = `${ARTICLE}/${documentId}/actions/publish${query}`
    return (await server.ask('POST', target, { data: { at } })).data.id
  }
  const timeOf = async (id: string): Promise<string | undefined> =>
    (await server.ask('GET', '/admin/schedules')).data.find((one: Answer) => one.id === id)?.at
  const day = (date: string): Locator => page.locator(`[data-day="${date}"]`)
  const chip = (date: string, name: string): Locator =>
    day(date).getByRole('link', { name: new RegExp(name) })
  const open = async (search = `?month=${YEAR}-03`): Promise<void> => {
    await page.goto(`${server.address}/studio/calendar${search}`)
    await page.locator('[role=grid][aria-busy=false]').waitFor()
  }
  const centre = async (where: Locator): Promise<{ readonly x: number; readonly y: number }> => {
    const box = await where.boundingBox()
    if (box === null) throw new Error('it is not visible')
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }
  const dragOver = async (what: Locator, to: Locator): Promise<void> => {
    const [from, end] = [await centre(what), await centre(to)]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(end.x, end.y, { steps: 6 })
  }
  const drag = async (what: Locator, to: Locator): Promise<void> => {
    await dragOver(what, to)
    await page.mouse.up()
  }
  const writes = (): string[] => {
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`)
    })
    return sent
  }

  it('moves to another day at the same time with one request, and back with Undo', async () => {
    const before = `${march(LAST_SUNDAY - 2)}T08:00:00.000Z` // 9:00 in winter
    const id = await plan('Moves', before)
    await open()
    const sent = writes()
    await drag(chip(march(LAST_SUNDAY - 2), 'Moves'), day(march(LAST_SUNDAY + 1)))
    await chip(march(LAST_SUNDAY + 1), '9:00.AM Moves').waitFor()
    await page.getByText(/^Moved to .*9:00/).waitFor()
    expect(sent).to.deep.equal([`PUT ${server.address}/admin/schedules/${id}`])
    expect(await timeOf(id)).to.equal(`${march(LAST_SUNDAY + 1)}T07:00:00.000Z`)
    expect(page.url()).to.match(new RegExp(`calendar\\?month=${YEAR}-03$`))
    await page.getByRole('button', { name: 'Undo' }).click()
    await chip(march(LAST_SUNDAY - 2), 'Moves').waitFor()
    expect(await timeOf(id)).to.equal(before)
    expect(sent).to.have.length(2)
  })

  it('keeps all languages of an entry that has only one', async () => {
    const id = await plan('Every language', `${march(10)}T08:00:00.000Z`, '?locale=*')
    await open()
    await drag(chip(march(10), 'Every language'), day(march(12)))
    await page.getByText(/^Moved to /).waitFor()
    const { data } = await server.ask('GET', '/admin/schedules')
    const moved = data.find((one: Answer) => one.id === id)
    expect(moved.locales).to.have.members(['en', 'de'])
    expect(moved.at).to.equal(`${march(12)}T08:00:00.000Z`)
  })

  it('stays after Escape, after a drop outside of the days, and on its own day', async () => {
    const at = `${march(17)}T08:00:00.000Z`
    const id = await plan('Stays', at)
    await open()
    const sent = writes()
    const own = chip(march(17), 'Stays')
    await dragOver(own, day(march(18)))
    await page.keyboard.press('Escape')
    await page.mouse.up()
    await drag(own, page.getByRole('heading', { level: 1 }))
    await drag(own, day(march(17)))
    expect(await page.locator('[data-dragged]').count()).to.equal(0)
    expect(sent).to.deep.equal([])
    expect(await timeOf(id)).to.equal(at)
    await own.click()
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
  })

  it('shows the old day again if the server refuses', async () => {
    await plan('Refused', `${march(24)}T08:00:00.000Z`)
    await open()
    const error = { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} }
    await page.route('**/admin/schedules/*', (route) =>
      route.fulfill({ status: 403, json: { data: null, error } }),
    )
    await drag(chip(march(24), 'Refused'), day(march(25)))
    await page.getByRole('alertdialog').waitFor()
    await chip(march(24), 'Refused').waitFor()
    await page.unroute('**/admin/schedules/*')
  })

  it('reads the schedules again if one was carried out in the meantime', async () => {
    const id = await plan('Gone', `${march(24)}T08:00:00.000Z`)
    await open()
    await server.ask('DELETE', `/admin/schedules/${id}`)
    await drag(chip(march(24), 'Gone'), day(march(25)))
    await page.getByRole('alertdialog').waitFor()
    await page.getByRole('grid').getByText('Gone').waitFor({ state: 'detached', timeout: 10_000 })
  })

  it('sends quick moves one after the other, so that the last one counts', async () => {
    const id = await plan('Twice', `${march(3)}T08:00:00.000Z`)
    await open()
    let send = (): void => undefined
    const held = new Promise<void>((resolve) => {
      send = resolve
    })
    await page.route('**/admin/schedules/*', async (route) => {
      await held
      await route.continue()
    })
    const sent = writes()
    await drag(chip(march(3), 'Twice'), day(march(5)))
    await drag(chip(march(5), 'Twice'), day(march(9)))
    await chip(march(9), 'Twice').waitFor()
    expect(sent).to.have.length(1)
    send()
    await page.getByText(/^Moved to .*9,/).waitFor()
    expect(sent).to.have.length(2)
    expect(await timeOf(id)).to.equal(`${march(9)}T08:00:00.000Z`)
    await chip(march(9), 'Twice').waitFor()
    await page.unroute('**/admin/schedules/*')
  })

  it('leaves no selected text, and the next press of a key works after Escape', async () => {
    await plan('Cancelled', `${march(22)}T08:00:00.000Z`)
    await open()
    await dragOver(chip(march(22), 'Cancelled'), day(march(10)))
    expect(await page.evaluate(() => String(getSelection()))).to.equal('')
    await page.keyboard.press('Escape')
    await page.locator('a[href="/studio/releases"]').first().press('Enter')
    await page.waitForURL('**/studio/releases')
    await page.mouse.up()
  })

  it('changes the time by keyboard in the opened day, as its hint says', async () => {
    const id = await plan('By keyboard', `${march(4)}T08:00:00.000Z`)
    await open()
    const hint = page.getByText('Drag a schedule to another day, or open its day')
    const grid = page.getByRole('grid')
    expect(await grid.getAttribute('aria-describedby')).to.equal(await hint.getAttribute('id'))
    await expectAccessible(page, 'a calendar with a hint')
    await day(march(4)).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog').first()
    await dialog.getByRole('button', { name: 'Change time' }).press('Enter')
    const change = page.getByRole('dialog', { name: 'Change time' })
    await change.getByLabel('Date and time').fill(`${march(5)}T10:30`)
    await expectAccessible(page, 'the time of a schedule in the calendar')
    await page.keyboard.press('Enter')
    await page.getByText('Time changed').waitFor()
    expect(await timeOf(id)).to.equal(`${march(5)}T09:30:00.000Z`)
    await dialog.getByText('No schedules on this day').waitFor()
    await page.keyboard.press('Escape')
    await chip(march(5), 'By keyboard').waitFor()
  })

  it('speaks German', async () => {
    await plan('Zieht um', `${march(8)}T08:00:00.000Z`)
    await chooseGerman(page, server)
    await open()
    await page.getByText(/^Ziehen Sie eine Planung auf einen anderen Tag/).waitFor()
    await drag(chip(march(8), 'Zieht um'), day(march(9)))
    await page.getByText(/^Verschoben auf .*09:00/).waitFor()
  })

  // The last test, because the clock of the page stays.
  it('refuses a day in the past without a request, also in German', async () => {
    const id = await plan('Too early', `${march(20)}T08:00:00.000Z`)
    await page.clock.setFixedTime(`${march(15)}T08:00:00.000Z`)
    await open()
    await page.locator(`[aria-current=date][data-day="${march(15)}"]`).waitFor()
    const sent = writes()
    await drag(chip(march(20), 'Too early'), day(march(10)))
    await page.getByText('Wählen Sie einen Zeitpunkt in der Zukunft').waitFor()
    expect(sent).to.deep.equal([])
    expect(await timeOf(id)).to.equal(`${march(20)}T08:00:00.000Z`)
  })
})
