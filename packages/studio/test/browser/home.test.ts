import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { untilStored } from './editors.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

const ARTICLE = '/admin/content/api::article.article'

describeInBrowser('the home screen', () => {
  let server: Server
  let window: Window
  before(async () => {
    server = await startServer()
    window = await openBrowser()
    await beFirst(window.page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const write = async (title: string): Promise<string> => {
    const body = { data: { title, slug: title.toLowerCase() } }
    return (await server.ask('POST', ARTICLE, body)).data.documentId
  }

  const publishAt = (documentId: string, at: Date): Promise<unknown> =>
    server.ask('POST', `${ARTICLE}/${documentId}/actions/publish?locale=en`, {
      data: { at: at.toISOString() },
    })

  it('lists scheduled and failed actions, with links', async () => {
    const { page } = window
    await publishAt(await write('Tomorrow'), new Date(Date.now() + 86_400_000))
    // Its body is missing: it cannot be published.
    await publishAt(await write('Incomplete'), new Date(Date.now() + 1_000))
    const states = async () =>
      (await server.ask('GET', '/admin/schedules')).data
        .map(({ state }: { readonly state: string }) => state)
        .sort()
    await untilStored(states, ['failed', 'waiting'])
    await page.goto(`${server.address}/studio`)
    const scheduled = page.getByRole('region', { name: 'Scheduled' })
    await scheduled.getByRole('link', { name: /Tomorrow.*Publish · English/ }).waitFor()
    const failed = page.getByRole('region', { name: 'Failed' })
    await failed.getByText(/body/i).waitFor()
    await expectAccessible(page, 'home')
    await scheduled.getByRole('link', { name: 'Calendar' }).click()
    await page.getByRole('heading', { level: 1, name: 'Calendar' }).waitFor()
    await page.goBack()
    await failed.getByRole('link', { name: /Incomplete/ }).click()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
  })

  it('fits 360 pixels', async () => {
    const { page } = window
    await page.setViewportSize({ width: 360, height: 720 })
    await page.goto(`${server.address}/studio`)
    await page.getByRole('region', { name: 'Failed' }).waitFor()
    await expectNoSidewaysScrolling(page, 'home')
  })
})
