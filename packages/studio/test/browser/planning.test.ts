import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { untilPublished, untilStored } from './editors.ts'
import { takePicture } from './pictures.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

describeInBrowser('trash, schedules and releases', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    window = await openBrowser({ timezoneId: 'Europe/Berlin' })
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
    it(`renders ${path} accessibly, and fits a phone`, async () => {
      await open(path, title)
      await expectAccessible(page, path)
      await expectNoSidewaysScrolling(page, path)
    })
  }

  const untilFocused = async (page: Page, name: string): Promise<void> => {
    await page.waitForFunction(
      (wanted) => document.activeElement?.getAttribute('aria-label') === wanted,
      name,
    )
  }

  const ARTICLE = '/admin/content/api::article.article'
  const write = async (title: string): Promise<string> => {
    const slug = title.toLowerCase().replaceAll(' ', '-')
    const { data } = await server.ask('POST', ARTICLE, { data: { title, slug, body: 'Text' } })
    return data.documentId
  }

  it('restores a deleted entry, or deletes it permanently', async () => {
    for (const title of ['Brought back', 'Gone for good']) {
      await server.ask('DELETE', `${ARTICLE}/${await write(title)}`)
    }
    await open('trash', 'Trash')
    const rows = page.getByRole('list', { name: 'Deleted entries' }).getByRole('listitem')
    await rows
      .filter({ hasText: 'Brought back' })
      .getByText(/The root token/)
      .waitFor()
    await expectAccessible(page, 'trash with rows')
    await page.getByRole('button', { name: 'Restore Brought back' }).click()
    await page.getByText('Restored as a draft').waitFor()
    await untilFocused(page, 'Restore Gone for good')
    await page.getByRole('button', { name: 'Delete permanently: Gone for good' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('The trash is empty').waitFor()
    await page.waitForFunction(() => document.activeElement?.id === 'content')
    const { data } = await server.ask('GET', ARTICLE)
    expect(data.map(({ title }: { title: string }) => title)).to.deep.equal(['Brought back'])
  })

  it('shows that only one language was deleted', async () => {
    await server.ask('POST', '/admin/locales', { code: 'de' })
    const documentId = await write('In two languages')
    const german = { title: 'In zwei Sprachen', slug: 'in-zwei-sprachen', body: 'Text' }
    await server.ask('PUT', `${ARTICLE}/${documentId}?locale=de`, { data: german })
    // Whether a deletion can be undone is known from here on.
    const answered = page.waitForResponse(/\/admin\/trash\?/)
    await page.goto(`${server.address}/studio/content/articles/${documentId}?locale=de`)
    await answered
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete in German' }).click()
    await page.getByText('Deleted', { exact: true }).waitFor()
    await open('trash', 'Trash')
    await page
      .getByText(/In zwei Sprachen/)
      .first()
      .waitFor()
    expect((await server.ask('GET', `${ARTICLE}/${documentId}`)).data.title).to.equal(
      'In two languages',
    )
  })

  it('shows schedules in the calendar, with links', async () => {
    const documentId = await write('To come')
    const soon = new Date(Date.now() + 60 * 60_000)
    await server.ask('POST', `${ARTICLE}/${documentId}/actions/publish`, {
      data: { at: soon.toISOString() },
    })
    await open('calendar', 'Calendar')
    if (soon.getMonth() !== new Date().getMonth()) {
      await page.getByRole('button', { name: 'Next month' }).click()
    }
    await page.getByRole('link', { name: /To come/ }).waitFor()
    await expectAccessible(page, 'calendar with an entry')
    await page.getByRole('link', { name: /To come/ }).click()
    await page.waitForURL(new RegExp(documentId))
    await page.getByRole('button', { name: 'Cancel schedule' }).click()
    await page.getByText('Schedule cancelled').waitFor()
    expect((await server.ask('GET', '/admin/schedules')).data).to.deep.equal([])
    await page.getByRole('button', { name: 'Cancel schedule' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Cancel schedule' }).waitFor()
    const again = (await server.ask('GET', '/admin/schedules')).data
    expect(again).to.have.length(1)
    expect(again[0]).to.include({ at: soon.toISOString(), action: 'publish' })
    await server.ask('DELETE', `/admin/schedules/${again[0].id}`)
  })

  it('handles skipped and repeated hours of daylight saving time', async () => {
    const documentId = await write('By the clock')
    await page.goto(`${server.address}/studio/content/articles/${documentId}`)
    await page.getByRole('button', { name: 'Schedule …' }).click()
    const dialog = page.getByRole('dialog')
    const schedule = dialog.getByRole('button', { name: 'Schedule' })
    await dialog.getByLabel('Date and time').fill('2027-03-28T02:30')
    await schedule.click()
    await dialog.getByText(/the clocks go forward/).waitFor()
    await dialog.getByLabel('Date and time').fill('2027-10-31T02:30')
    await dialog.getByText(/This time occurs twice in Europe\/Berlin/).waitFor()
    await expectAccessible(page, 'a time that comes twice')
    await schedule.click()
    await page.getByText('Scheduled', { exact: true }).waitFor()
    const query = `documentId=${documentId}`
    const [planned] = (await server.ask('GET', `/admin/schedules?${query}`)).data
    expect(planned.at).to.equal('2027-10-31T00:30:00.000Z')
    await server.ask('DELETE', `/admin/schedules/${planned.id}`)
  })

  it('changes the time of a schedule, and takes the change back', async () => {
    const year = new Date().getFullYear() + 1
    const summer = `${year}-07-28T10:00:00.000Z`
    const documentId = await write('At another time')
    const path = `${ARTICLE}/${documentId}/actions/publish`
    await server.ask('POST', path, { data: { at: summer } })
    const times = async () =>
      (await server.ask('GET', `/admin/schedules?documentId=${documentId}`)).data.map(
        ({ at }: { readonly at: string }) => at,
      )
    await page.goto(`${server.address}/studio/content/articles/${documentId}`)
    const change = page.getByRole('button', { name: 'Change time' })
    await change.waitFor()
    await takePicture(page, 'schedule-change')
    await change.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Change time' })
    const time = dialog.getByLabel('Date and time')
    expect(await time.inputValue()).to.match(/T12:00$/)
    await expectAccessible(page, 'the time of a schedule')
    await time.fill('2020-01-01T10:00')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await dialog.getByText('Choose a time in the future').waitFor()
    expect(await times()).to.deep.equal([summer])
    await time.fill(`${year}-01-05T10:00`)
    await page.keyboard.press('Enter')
    await page.getByText('Time changed').waitFor()
    expect(await times()).to.deep.equal([`${year}-01-05T09:00:00.000Z`])
    await page.waitForFunction(() => document.activeElement?.closest('aside') !== null)
    await page.getByRole('button', { name: 'Undo' }).click()
    await untilStored(times, [summer])
    await page.getByRole('button', { name: 'Cancel schedule' }).click()
    await untilStored(times, [])
  })

  it('keeps the exact moment of an unchanged time, and forgets input of a closed dialog', async () => {
    const second = '2027-10-31T01:30:20.000Z' // 02:30 in Berlin for the second time
    const documentId = await write('In the second hour')
    const path = `${ARTICLE}/${documentId}/actions/publish`
    await server.ask('POST', path, { data: { at: second } })
    const schedules = async () =>
      (await server.ask('GET', `/admin/schedules?documentId=${documentId}`)).data
    await page.goto(`${server.address}/studio/content/articles/${documentId}`)
    const change = page.getByRole('button', { name: 'Change time' })
    const dialog = page.getByRole('dialog', { name: 'Change time' })
    const problem = dialog.getByText('Choose a time in the future')
    await change.press('Enter')
    await dialog.getByLabel('Date and time').fill('2020-01-01T10:00')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await problem.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await change.press('Enter')
    await dialog.getByLabel('Date and time').waitFor()
    expect(await problem.count()).to.equal(0)
    await page.keyboard.press('Enter')
    await page.getByText('Time changed').waitFor()
    const [{ at, id }] = await schedules()
    expect(at).to.equal(second)
    await server.ask('DELETE', `/admin/schedules/${id}`)
  })

  it('updates an open entry after its schedule was carried out', async () => {
    const documentId = await write('On its own')
    await page.goto(`${server.address}/studio/content/articles/${documentId}`)
    await page.getByRole('button', { name: 'Schedule …' }).waitFor()
    await server.ask('POST', `${ARTICLE}/${documentId}/actions/publish`, {
      data: { at: new Date(Date.now() + 7_000).toISOString() },
    })
    await page.reload()
    await page.getByRole('button', { name: 'Cancel schedule' }).waitFor()
    await untilPublished(page)
    await page.getByRole('button', { name: 'Cancel schedule' }).waitFor({ state: 'detached' })
  })

  it('shows the reason of a failed schedule, and retries it', async () => {
    const { data } = await server.ask('POST', ARTICLE, {
      data: { title: 'Without a body', slug: 'without-a-body' },
    })
    const path = `${ARTICLE}/${data.documentId}`
    await server.ask('POST', `${path}/actions/publish`, {
      data: { at: new Date(Date.now() + 1_000).toISOString() },
    })
    await page.goto(`${server.address}/studio/content/articles/${data.documentId}`)
    const states = async () =>
      (await server.ask('GET', '/admin/schedules')).data.map(
        ({ state }: { readonly state: string }) => state,
      )
    await untilStored(states, ['failed'])
    await page.goto(`${server.address}/studio/content/articles/${data.documentId}`)
    const again = page.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.getByText(/body/i).first().waitFor()
    await expectAccessible(page, 'failed schedule')
    await server.ask('PUT', path, { data: { body: 'Text' } })
    await again.click()
    await page.getByText('Retrying in a moment').waitFor()
    const state = async () =>
      (await server.ask('GET', `${ARTICLE}?filters[slug]=without-a-body`)).meta.states[
        data.documentId
      ]
    await untilStored(state, 'published')
    await untilStored(states, [])
  })

  it('publishes all entries of a release at once', async () => {
    const uid = 'api::article.article'
    const { id } = (await server.ask('POST', '/admin/releases', { data: { name: 'Autumn' } })).data
    const items = await Promise.all(
      ['Leaves', 'Rain'].map(async (title) => {
        return { uid, documentId: await write(title), locale: 'en', action: 'publish' }
      }),
    )
    await server.ask('POST', `/admin/releases/${id}/items`, { data: { items } })
    await open(`releases/${id}`, 'Autumn')
    await page.getByText('Leaves').waitFor()
    await expectAccessible(page, 'a release with entries')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('Ready to publish').waitFor()
    await page.getByRole('button', { name: 'Publish now' }).click()
    await page.getByText('Release published').waitFor()
    await page
      .getByText(/^Was published/)
      .nth(1)
      .waitFor()
    const query =
      'status=published&sort=title&filters[title][$in][0]=Leaves&filters[title][$in][1]=Rain'
    const { data } = await server.ask('GET', `${ARTICLE}?${query}`)
    expect(data.map(({ title }: { title: string }) => title)).to.deep.equal(['Leaves', 'Rain'])
  })

  it('removes an entry from a release, undoes it, and keeps the focus in the list', async () => {
    const uid = 'api::article.article'
    const { id } = (await server.ask('POST', '/admin/releases', { data: { name: 'Winter' } })).data
    for (const title of ['Snow', 'Ice']) {
      const items = [{ uid, documentId: await write(title), locale: 'en', action: 'unpublish' }]
      await server.ask('POST', `/admin/releases/${id}/items`, { data: { items } })
    }
    await open(`releases/${id}`, 'Winter')
    const items = page.getByRole('list', { name: 'Entries of the release' }).getByRole('listitem')
    await page.getByRole('button', { name: 'Remove Snow' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Removed: Snow').waitFor()
    await items.filter({ hasText: 'Snow' }).waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement?.closest('li') !== null)
    await page.keyboard.press('Control+z')
    await items.filter({ hasText: 'Snow' }).getByText('Will be unpublished').waitFor()
  })

  it('creates an empty release', async () => {
    await open('releases', 'Releases')
    await page.getByRole('button', { name: 'New release' }).click()
    await page.getByLabel('Name').fill('Spring')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Spring' }).waitFor()
    await page.getByText('No entries yet').waitFor()
    await expectAccessible(page, 'release')
    expect(page.url()).to.match(/releases\/[a-z0-9]{24}$/)
  })
})
