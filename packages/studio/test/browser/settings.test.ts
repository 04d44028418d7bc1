import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { ADA, beFirst } from './signed-in.ts'

describeInBrowser('the settings', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const open = async (section: string, title: string): Promise<void> => {
    await page.goto(`${server.address}/studio/settings/${section}`)
    await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor()
  }

  it('changes the name and the language of the account', async () => {
    await open('account', 'Account')
    await expectAccessible(page, 'account')
    await page.getByLabel('Your name').fill('Ada King')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('navigation').getByText('Ada King').waitFor()
    await page.getByRole('button', { name: 'Language of the Studio' }).click()
    await page.getByRole('option', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { level: 2, name: 'Konto' }).waitFor()
    await page.getByRole('button', { name: 'Sprache des Studios' }).click()
    await page.getByRole('option', { name: 'English' }).click()
    await page.getByRole('heading', { level: 2, name: 'Account' }).waitFor()
  })

  it('changes the password if the current one is correct', async () => {
    await open('account', 'Account')
    const change = async (before: string, after: string): Promise<void> => {
      await page.getByLabel('Current password').fill(before)
      await page.getByLabel('New password').fill(after)
      await page.getByRole('button', { name: 'Change password' }).click()
    }
    await change('no idea', 'a new horse battery')
    await page.getByRole('alert').filter({ hasText: /./ }).first().waitFor()
    await change(ADA.password, 'a new horse battery')
    await page.getByText('Your other sessions have ended').waitFor()
  })

  it('changes the own e-mail address if the password is correct', async () => {
    await open('administrators', 'People')
    const person = page.getByRole('listitem').filter({ hasText: ADA.email })
    await person.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail').fill('king@example.com')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').filter({ hasText: /./ }).waitFor()
    await dialog.getByLabel('Current password').fill('a new horse battery')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('king@example.com · Administrator').waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'king@example.com' })
      .getByRole('button', { name: 'Edit' })
      .click()
    await dialog.getByLabel('E-mail').fill(ADA.email)
    await dialog.getByLabel('Current password').fill('a new horse battery')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`${ADA.email} · Administrator`).waitFor()
  })

  it('ends other sessions', async () => {
    const answer = await fetch(`${server.address}/admin/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: server.address },
      body: JSON.stringify({ email: ADA.email, password: 'a new horse battery' }),
    })
    expect(answer.status).to.equal(200)
    await open('account', 'Account')
    await page.getByRole('button', { name: 'End' }).click()
    await page.getByRole('button', { name: 'End' }).waitFor({ state: 'detached' })
  })

  it('adds, prefers and deletes locales', async () => {
    await open('locales', 'Locales')
    await page.getByRole('button', { name: 'Add locale' }).click()
    await page.getByLabel('Code').fill('no such locale')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('dialog').locator('[slot=errorMessage], [role=alert]').first().waitFor()
    await page.getByLabel('Code').fill('nl')
    await page.getByText('Dutch').waitFor()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const list = page.getByRole('list', { name: 'Locales' })
    await list.getByText('Dutch').waitFor()
    await expectAccessible(page, 'locales')
    await list.getByRole('button', { name: 'Delete' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await list.getByText('Dutch').waitFor({ state: 'detached' })
  })

  it('creates a token with selected actions, which works, and shows its key once', async () => {
    await open('api-tokens', 'API tokens')
    await page.getByText('No tokens yet').waitFor()
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill('Website')
    await page.getByRole('button', { name: 'Access' }).click()
    await page.getByRole('option', { name: 'Selected actions' }).click()
    await page
      .getByRole('row', { name: /Articles/ })
      .locator('td label')
      .first()
      .click()
    await expectAccessible(page, 'new token')
    await page.getByRole('button', { name: 'Create' }).click()
    const key = await page.getByRole('textbox', { name: 'Token key' }).inputValue()
    const ask = (path: string): Promise<Response> =>
      fetch(server.address + path, { headers: { Authorization: `Bearer ${key}` } })
    expect((await ask('/api/articles')).status).to.equal(200)
    expect((await ask('/api/countries')).status).to.equal(403)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'More: Website' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No tokens yet').waitFor()
    expect((await ask('/api/articles')).status).to.equal(401)
  })

  it('opens a type to the public with one checkbox', async () => {
    const isOpen = async (): Promise<boolean> =>
      (await fetch(`${server.address}/api/categories`)).status === 200
    expect(await isOpen()).to.equal(false)
    await open('api-roles', 'API roles')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Public' })
      .getByRole('button', { name: 'Edit' })
      .click()
    await page
      .getByRole('row', { name: /Categories/ })
      .locator('td label')
      .first()
      .click()
    await expectAccessible(page, 'role')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').first().waitFor()
    expect(await isOpen()).to.equal(true)
  })

  it('creates a role and assigns it to a person', async () => {
    await open('administrator-roles', 'Roles of people')
    await expectAccessible(page, 'administrator roles')
    await page.getByRole('button', { name: 'New role' }).click()
    await page.getByLabel('Name').fill('Reader')
    await page.getByLabel('Key').fill('reader')
    await page
      .getByRole('row', { name: /Articles/ })
      .locator('td label')
      .first()
      .click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Reader' }).waitFor()
    await open('administrators', 'People')
    await expectAccessible(page, 'administrators')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Name').fill('Grace Hopper')
    await page.getByLabel('E-mail').fill('grace@example.com')
    await page.getByRole('group', { name: 'Roles' }).getByText('Editor').click()
    await page.getByRole('group', { name: 'Roles' }).getByText('Reader').click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('textbox', { name: 'Password link' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('grace@example.com · Reader').waitFor()
  })

  it('restricts a role to a language, for a type and for later permissions', async () => {
    await server.ask('POST', '/admin/locales', { code: 'de' })
    await open('administrator-roles', 'Roles of people')
    const edit = () =>
      page
        .getByRole('listitem')
        .filter({ hasText: 'Reader' })
        .getByRole('button', { name: 'Edit' })
        .click()
    const articles = () => page.getByRole('row', { name: /Articles/ })
    const bounds = () => articles().getByRole('button', { name: /^Articles: Languages/ })
    const permissions = async () => {
      const { data } = await server.ask('GET', '/admin/administrator-roles')
      return data.find(({ type }: { readonly type: string }) => type === 'reader').permissions
    }
    const save = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await edit()
    await bounds().click()
    await page.getByRole('group', { name: 'Languages' }).getByText('German').click()
    await expectAccessible(page, 'bounds')
    await page.keyboard.press('Escape')
    await articles().locator('td label').nth(1).click()
    await save()
    const article = 'api::article.article'
    expect(await permissions()).to.have.deep.members([
      { action: `${article}.find`, locales: ['de'] },
      { action: `${article}.findOne`, locales: ['de'] },
    ])
    await edit()
    await bounds().getByText('German').waitFor()
    await bounds().click()
    await page.getByRole('group', { name: 'Languages' }).getByText('German').click()
    await page.keyboard.press('Escape')
    await save()
    expect(await permissions()).to.have.deep.members([
      { action: `${article}.find` },
      { action: `${article}.findOne` },
    ])
  })

  it('shows the declared types', async () => {
    await open('types', 'Content types')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'api::article.article' })
      .getByRole('button', { name: 'View' })
      .click()
    await page.getByRole('row', { name: /slug/ }).getByText('targetField title').waitFor()
    await expectAccessible(page, 'types')
  })

  it('fits 360 pixels', async () => {
    await page.setViewportSize({ width: 360, height: 720 })
    for (const [section, title] of [
      ['account', 'Account'],
      ['api-tokens', 'API tokens'],
      ['types', 'Content types'],
    ] as const) {
      await open(section, title)
      await expectNoSidewaysScrolling(page, section)
      const link = page
        .getByRole('navigation', { name: 'Settings' })
        .getByRole('link', { name: title })
      const { x = -1, width = 0 } = (await link.boundingBox()) ?? {}
      expect(x, section).to.be.at.least(0)
      expect(x + width, section).to.be.at.most(360)
    }
  })

  it('logs no browser errors', () => {
    const unexpected = window.complaints.filter((text) => !/status of 400/.test(text))
    expect(unexpected).to.deep.equal([])
  })
})
