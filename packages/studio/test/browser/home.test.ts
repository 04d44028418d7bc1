import { expect } from 'chai'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { untilSaved, untilStored } from './editors.ts'
import { takePicture } from './pictures.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><rect width="80" height="60" fill="teal"/></svg>'
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

  it('leads a newcomer through three steps, which can be hidden', async () => {
    const { page } = window
    const steps = page.getByRole('region', { name: 'First steps' })
    await page.goto(`${server.address}/studio`)
    await steps.getByRole('link', { name: /Write your first entry/ }).waitFor()
    await steps.getByRole('link', { name: /Publish it/ }).waitFor()
    await steps.getByRole('link', { name: /Connect an app/ }).waitFor()
    expect(await steps.getByRole('link').count()).to.equal(3)
    await expectAccessible(page, 'first steps')
    await takePicture(page, 'home-first')
    await steps.getByRole('link', { name: /Write your first entry/ }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('My first article')
    await untilSaved(page)
    await page.goto(`${server.address}/studio`)
    await steps.getByRole('link', { name: /Write your first entry.*done/ }).waitFor()
    await page.getByRole('link', { name: /My first article/ }).waitFor()
    await steps.getByRole('link', { name: /Publish it/ }).click()
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).to.equal(
      'My first article',
    )
    await page.goBack()
    await steps.getByRole('button', { name: 'Hide' }).click()
    await steps.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await steps.getByRole('button', { name: 'Hide' }).click()
    await steps.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: /My first article/ }).waitFor()
    expect(await steps.count()).to.equal(0)
  })

  it('sends at most five requests', async () => {
    const { page } = window
    const requests: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/admin/')) requests.push(pathname)
    })
    await page.goto(`${server.address}/studio`, { waitUntil: 'networkidle' })
    expect(requests).to.include('/admin/recent')
    expect(requests.length, requests.join(' ')).to.be.at.most(5)
    page.removeAllListeners('request')
  })

  it('shows the drafts of the team, with pictures and names', async () => {
    const { page } = window
    await server.ask('POST', '/admin/administrators', {
      name: 'Grace Hopper',
      email: 'grace@example.com',
      password: 'correct horse battery',
      roles: ['editor'],
    })
    const signedIn = await fetch(`${server.address}/admin/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: server.address },
      body: JSON.stringify({ email: 'grace@example.com', password: 'correct horse battery' }),
    })
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
    const asGrace = { cookie, Origin: server.address }
    const form = new FormData()
    form.append('files', new Blob([PICTURE], { type: 'image/svg+xml' }), 'cover.svg')
    const files = await fetch(`${server.address}/admin/files`, {
      method: 'POST',
      headers: asGrace,
      body: form,
    })
    const [{ id }] = ((await files.json()) as { readonly data: readonly [{ readonly id: number }] })
      .data
    const data = { title: 'Compilers', slug: 'compilers', cover: id }
    const made = await fetch(`${server.address}${ARTICLE}`, {
      method: 'POST',
      headers: { ...asGrace, 'Content-Type': 'application/json' },
      body: JSON.stringify({ data }),
    })
    expect(made.status).to.equal(201)
    await page.goto(`${server.address}/studio`)
    const drafts = page.getByRole('region', { name: 'Not published yet' })
    const draft = drafts.getByRole('link', { name: /Compilers.*Grace Hopper/ })
    await draft.waitFor()
    await draft.locator('img').waitFor()
    await expectAccessible(page, 'home with drafts')
    await takePicture(page, 'home-team')
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
    await takePicture(page, 'home-phone')
    await expectNoSidewaysScrolling(page, 'home')
  })
})
