import { expect } from 'chai'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { ADA, signIn } from './signed-in.ts'

describeInBrowser('the sign-in', () => {
  let server: Server
  let window: Window
  before(async () => {
    server = await startServer()
    window = await openBrowser()
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  it('starts with the link of the first start, and shows faults at their fields', async () => {
    const { page } = window
    await page.goto(await server.firstStartLink())
    await page.getByLabel('Your name').fill(ADA.name)
    await page.getByLabel('E-mail').fill(ADA.email)
    await page.getByLabel('Password').fill('short')
    await expectAccessible(page, 'first start')
    await page.getByRole('button', { name: 'Get started' }).click()
    await page.getByText('At least 8 characters').waitFor()
    await page.getByLabel('Password').fill(ADA.password)
    await page.getByRole('button', { name: 'Get started' }).click()
    await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
    expect(page.url()).to.match(/\/studio\/?$/)
  })

  it('stays on its own origin for a foreign address in `to`', async () => {
    const { page, context } = window
    const visited: string[] = []
    await context.route('https://evil.example/**', async (route) => {
      visited.push(route.request().url())
      await route.fulfill({ contentType: 'text/html', body: '<h1>Foreign</h1>' })
    })
    for (const to of ['https://evil.example/', '//evil.example/', '/\\evil.example/']) {
      await context.clearCookies()
      await page.goto(`${server.address}/studio/sign-in?to=${encodeURIComponent(to)}`)
      await page.getByLabel('E-mail').fill(ADA.email)
      await page.getByLabel('Password').fill(ADA.password)
      await page.keyboard.press('Enter')
      await page.getByLabel('Password').waitFor({ state: 'detached' })
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(page.url(), to).to.match(new RegExp(`^${server.address}/studio/?$`))
      await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
    }
    expect(visited).to.deep.equal([])
  })

  it('shows an error for a wrong password, and opens the requested screen for the right one', async () => {
    const { page, context } = window
    await context.clearCookies()
    await page.goto(`${server.address}/studio/settings/locales`)
    await page.getByLabel('E-mail').fill(ADA.email)
    await page.getByLabel('Password').fill('something else')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('E-mail or password is wrong').waitFor()
    await expectAccessible(page, 'sign in')
    await page.getByLabel('Password').fill(ADA.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: 'Locales' }).waitFor()
    expect(page.url()).to.equal(`${server.address}/studio/settings/locales`)
  })

  it('asks again over the open screen when the session ends, and keeps the input', async () => {
    const { page, context } = window
    await page.getByRole('button', { name: 'Add locale' }).click()
    await page.getByLabel('Code').fill('nl')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
    await dialog.getByLabel('Password').fill(ADA.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('list', { name: 'Locales' }).getByText('Dutch').waitFor()
  })

  it('signs out', async () => {
    const { page } = window
    await page.getByRole('button', { name: ADA.name }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.goto(`${server.address}/studio/content/articles`)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await signIn(page, server)
  })

  it('lets an invited person choose a password', async () => {
    const { page, context } = window
    await page.goto(`${server.address}/studio/settings/administrators`)
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Name').fill('Grace Hopper')
    await page.getByLabel('E-mail').fill('grace@example.com')
    await page.getByRole('button', { name: 'Create' }).click()
    const link = await page.getByRole('textbox', { name: 'Password link' }).inputValue()
    await context.clearCookies()
    await page.goto(link)
    await page.getByLabel('Password').fill('another horse battery')
    await page.getByRole('button', { name: 'Save and sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor()
    // An editor has nothing to administer.
    await page.goto(`${server.address}/studio/settings`)
    await page.getByRole('heading', { level: 2, name: 'Account' }).waitFor()
    expect(await page.getByRole('link', { name: 'API tokens' }).count()).to.equal(0)
  })

  it('works at 360 pixels, in German and on a Mac', async () => {
    const german = await openBrowser({ viewport: { width: 360, height: 720 }, locale: 'de-DE' })
    try {
      const { page } = german
      await page.addInitScript(() =>
        Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' }),
      )
      await page.goto(`${server.address}/studio`)
      await page.getByRole('button', { name: 'Anmelden' }).waitFor()
      await expectNoSidewaysScrolling(page, 'sign in')
      await page.getByLabel('E-Mail').fill(ADA.email)
      await page.getByLabel('Passwort').fill(ADA.password)
      await page.getByRole('button', { name: 'Anmelden' }).click()
      await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
      await expectNoSidewaysScrolling(page, 'home')
      await page.getByRole('button', { name: 'Navigation öffnen' }).click()
      await page.getByRole('dialog').getByText('⌘K').waitFor()
      await page.getByRole('dialog').getByRole('link', { name: 'Articles' }).click()
      await page.getByRole('heading', { level: 1, name: 'Articles' }).waitFor()
      await page.getByText('Article anlegen').first().waitFor()
      await expectNoSidewaysScrolling(page, 'list')
    } finally {
      await german.close()
    }
  })

  it('logs no browser errors', () => {
    const unexpected = window.complaints.filter((text) => !/status of (400|401)/.test(text))
    expect(unexpected).to.deep.equal([])
  })
})
