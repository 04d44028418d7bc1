import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

describeInBrowser('webhooks and the audit', () => {
  let server: Server
  let receiver: HttpServer
  let address: string
  let answer: number
  /** The events that have arrived. */
  let arrived: string[]
  let keys: unknown[]
  let window: Window
  let page: Page
  before(async () => {
    arrived = []
    keys = []
    answer = 204
    receiver = createServer((request, response) => {
      arrived.push(String(request.headers['x-strapi-event']))
      keys.push(request.headers['x-key'])
      response.writeHead(answer).end()
      request.resume()
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    server = await startServer({ WEBHOOK_ALLOW_HOSTS: '127.0.0.1' })
    window = await openBrowser({ acceptDownloads: true })
    page = window.page
    await beFirst(page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
    receiver.closeAllConnections()
    receiver.close()
  })

  const open = async (section: string, title: string): Promise<void> => {
    await page.goto(`${server.address}/studio/settings/${section}`)
    await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor()
  }
  const inMenu = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'More: Site' }).click()
    await page.getByRole('menuitem', { name }).click()
  }

  it('creates a webhook with faults at their fields, and shows its secret once', async () => {
    await open('webhooks', 'Webhooks')
    await page.getByText('No webhooks yet').waitFor()
    await page.getByRole('button', { name: 'New webhook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Site')
    await dialog.getByLabel('URL').fill('ftp://example.org')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText(/start with https?:/).waitFor()
    await expectAccessible(page, 'new webhook')
    await dialog.getByLabel('URL').fill(address)
    await dialog.getByRole('button', { name: /Content types/ }).click()
    await page.getByRole('option', { name: 'Selected' }).click()
    await dialog
      .getByRole('group', { name: /Content types/ })
      .getByText('Categories')
      .click()
    await dialog.getByRole('group', { name: 'Events' }).getByText('entry.create').click()
    await dialog.getByRole('button', { name: 'Create' }).click()
    const secret = page.getByRole('textbox', { name: 'Secret' })
    expect(await secret.inputValue()).to.match(/^whsec_/)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText(address).waitFor()
    await expectAccessible(page, 'webhooks')
    const [made] = (await server.ask('GET', '/admin/webhooks')).data
    expect(made).to.deep.include({ types: ['api::category.category'], locales: null })
    expect(made.events).to.have.members(['entry.create', 'entry.publish', 'entry.unpublish'])
  })

  it('sends a test, and shows the result', async () => {
    await open('webhooks', 'Webhooks')
    await inMenu('Send a test')
    await page.getByText(/Delivered: status 204/).waitFor()
    expect(arrived).to.deep.equal(['trigger-test'])
    answer = 500
    await inMenu('Send a test')
    await page.getByText('Not delivered: status 500').waitFor()
    answer = 204
  })

  it('sends its own headers, and keeps their values hidden', async () => {
    const receivedKey = async (): Promise<unknown> => {
      const tested = page.waitForResponse(/\/test$/)
      await inMenu('Send a test')
      await tested
      return keys.at(-1)
    }
    await open('webhooks', 'Webhooks')
    await inMenu('Edit')
    const dialog = page.getByRole('dialog')
    const headers = dialog.getByRole('group', { name: 'Headers' })
    const add = async (name: string, value: string): Promise<void> => {
      await headers.getByRole('button', { name: 'Add header' }).click()
      await headers.getByLabel('Header', { exact: true }).last().fill(name)
      await headers.getByLabel('Value').last().fill(value)
    }
    await add('X-Key', 'first key')
    await add('x-key', 'again')
    await headers.getByText('This header is listed twice.').waitFor()
    await headers.getByLabel('Header', { exact: true }).last().fill('Host')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await headers.locator('[slot=errorMessage]').filter({ hasText: /./ }).waitFor()
    await expectAccessible(page, 'headers of a webhook')
    await headers.getByRole('button', { name: 'Remove Host' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await receivedKey()).to.equal('first key')
    await page.setViewportSize({ width: 320, height: 720 })
    await inMenu('Edit')
    await headers.getByText('Stored. Leave it empty to keep it.').waitFor()
    expect(await headers.getByLabel('Value').inputValue()).to.equal('')
    await expectNoSidewaysScrolling(page, 'headers of a webhook')
    await expectAccessible(page, 'stored headers of a webhook')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 1280, height: 800 })
    const [{ headers: stored }] = (await server.ask('GET', '/admin/webhooks')).data
    expect(stored).to.deep.equal({ 'X-Key': null })
    expect(await receivedKey()).to.equal('first key')
  })

  it('lists deliveries, and sends one again', async () => {
    arrived.length = 0
    await server.ask('POST', '/admin/content/api::category.category', { data: { name: 'Travel' } })
    await open('webhooks', 'Webhooks')
    await page.getByRole('button', { name: 'Deliveries of Site' }).click()
    const row = page.getByRole('row').filter({ hasText: 'entry.create' })
    await row.getByText('Delivered').waitFor({ timeout: 20_000 })
    await expectAccessible(page, 'deliveries')
    const again = once(receiver, 'request')
    await row.getByRole('button', { name: /Send again/ }).click()
    await page.getByText('Sending again in a moment').waitFor()
    await again
    expect(arrived.filter((event) => event === 'entry.create').length).to.equal(2)
    for (const label of ['From commit', 'To commit']) await page.getByLabel(label).fill('999999')
    await page.getByRole('button', { name: 'Send all again' }).click()
    await page
      .getByRole('alert')
      .getByText(/^The log contains the commits \d/)
      .waitFor()
    await page.getByRole('button', { name: /State/ }).click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await page.getByText('No deliveries yet').waitFor()
  })

  it('sends a failed delivery again after the receiver recovered', async () => {
    answer = 410
    arrived.length = 0
    await server.ask('POST', '/admin/content/api::category.category', { data: { name: 'Rivers' } })
    await open('webhooks', 'Webhooks')
    const ofSite = page.getByRole('button', { name: 'Deliveries of Site' })
    await ofSite.click()
    const row = page.getByRole('row').filter({ hasText: 'entry.create' }).first()
    await row.getByText('Failed').waitFor({ timeout: 20_000 })
    await row.getByRole('button').waitFor({ state: 'detached' })
    expect(await row.getByRole('button').count()).to.equal(0) // nothing is sent while it is off
    await page.reload()
    await page.getByText('off: the receiver responded with 410 Gone').waitFor()
    await inMenu('Turn on')
    await page.getByText('off: the receiver responded with 410 Gone').waitFor({ state: 'detached' })
    answer = 204
    await ofSite.click()
    const again = once(receiver, 'request')
    await row.getByRole('button', { name: /Send again/ }).click()
    await page.getByText('Sending again in a moment').waitFor()
    await again
    await row.getByText('Delivered').waitFor({ timeout: 20_000 })
    expect(arrived).to.deep.equal(['entry.create', 'entry.create'])
  })

  it('sends a delivery immediately instead of at its next retry', async () => {
    answer = 500
    await server.ask('POST', '/admin/content/api::category.category', { data: { name: 'Lakes' } })
    await open('webhooks', 'Webhooks')
    await page.getByRole('button', { name: 'Deliveries of Site' }).click()
    const row = page.getByRole('row').filter({ hasText: 'entry.create' }).first()
    await row.getByText(/2 attempts/).waitFor({ timeout: 30_000 })
    answer = 204
    await row.getByRole('button', { name: /Send again/ }).click()
    await row.getByText('Delivered').waitFor({ timeout: 20_000 })
  })

  it('rotates the secret, turns a webhook off, and deletes it', async () => {
    await open('webhooks', 'Webhooks')
    await inMenu('New secret')
    await page.getByText(/signed with the previous secret/).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await inMenu('End the previous secret')
    await page.getByText('Only the new secret signs messages').waitFor()
    await inMenu('Turn off')
    await page.getByText('off', { exact: true }).waitFor()
    await inMenu('Turn on')
    await page.getByText('off', { exact: true }).waitFor({ state: 'detached' })
    await inMenu('Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No webhooks yet').waitFor()
  })

  it('lists webhook changes and sign-ins in the audit, with their author', async () => {
    await open('audit', 'Audit')
    const rows = page.getByRole('region', { name: 'Events' }).getByRole('row')
    await rows.filter({ hasText: 'Webhooks: deleted' }).filter({ hasText: 'Ada' }).waitFor()
    await rows.filter({ hasText: 'Signed in' }).waitFor()
    const ofOperator = rows.filter({ hasText: 'Category' }).filter({ hasText: 'The root token' })
    await ofOperator.first().waitFor()
    await expectAccessible(page, 'audit')
    await page.getByRole('button', { name: /About/ }).click()
    await page.getByRole('option', { name: 'Sign-ins', exact: true }).click()
    await rows.filter({ hasText: 'Webhooks' }).waitFor({ state: 'detached' })
    await rows.filter({ hasText: 'Signed in' }).waitFor()
    expect(await rows.filter({ hasText: 'Signed in' }).count()).to.equal(1)
    const to = page.getByLabel('To', { exact: true })
    await to.fill('2001-01-01')
    await page.getByText('No events found').waitFor()
    await to.fill('12026-01-01') // as one digit too many gives it
    await page.getByText('No events found').waitFor()
    await to.fill('')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(file.suggestedFilename()).to.equal('audit.ndjson')
    const chunks: Buffer[] = []
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer)
    const lines = Buffer.concat(chunks).toString('utf8').trim().split('\n')
    expect(lines.length).to.equal(1)
    const [row] = lines.map((line) => JSON.parse(line) as { readonly items: readonly object[] })
    expect(row?.items[0]).to.include({ type: 'admin::session', name: 'Ada Lovelace' })
  })

  it('names each changed thing in the audit, with its id', async () => {
    await open('audit', 'Audit')
    const rows = page.getByRole('region', { name: 'Events' }).getByRole('row')
    const category = rows.filter({ hasText: 'Category' }).first()
    const link = category.getByRole('link').first()
    const href = String(await link.getAttribute('href'))
    const id = /[a-z][a-z0-9]{23}/.exec(href)?.[0] ?? 'none'
    expect(await link.textContent()).to.match(/^\S.*$/)
    expect(await link.textContent()).to.not.equal(id)
    await category.getByText(id, { exact: true }).first().waitFor()
    const deleted = rows.filter({ hasText: 'Webhooks: deleted' }).getByRole('code').first()
    expect(await deleted.textContent()).to.match(/^[a-z][a-z0-9]{23}$/)
  })

  it('fits 360 pixels, and speaks German', async () => {
    await page.setViewportSize({ width: 360, height: 720 })
    for (const [section, title] of [
      ['webhooks', 'Webhooks'],
      ['audit', 'Audit'],
    ] as const) {
      await open(section, title)
      await expectNoSidewaysScrolling(page, section)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await open('account', 'Account')
    await page.getByRole('button', { name: 'Language of the Studio' }).click()
    await page.getByRole('option', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { level: 2, name: 'Konto' }).waitFor()
    await open('audit', 'Protokoll')
    await page.getByText('Angemeldet').first().waitFor()
    await open('webhooks', 'Webhooks')
    await page.getByRole('button', { name: 'Neuer Webhook' }).first().click()
    const headers = page.getByRole('dialog').getByRole('group', { name: 'Kopfzeilen' })
    await headers.getByRole('button', { name: 'Kopfzeile hinzufügen' }).click()
    await headers.getByLabel('Wert').fill('a key')
  })

  it('logs no browser errors', () => {
    const unexpected = window.complaints.filter((text) => !/status of 400/.test(text))
    expect(unexpected).to.deep.equal([])
  })
})
