import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

const TYPE = {
  info: { singularName: 'echo', pluralName: 'echoes', displayName: 'Echo' },
  attributes: { text: { type: 'string' } },
}

/** Each extension reacts to writes of the other one, so their chain ends with a failed call. */
const CONFIG = `const echo = (name) => ({
  name,
  contentTypes: {
    'api::echo.echo': {
      afterCommit: async ({ documentId, content }) => {
        await content.echoes.update(documentId, { text: name }, { as: 'system' })
      },
    },
  },
})
export default { extensions: [echo('ping'), echo('pong')] }
`

const WAIT_MS = 30_000

interface Failures {
  readonly data: readonly { readonly extension: string; readonly deadAt: string }[]
  readonly meta: { readonly extensions: readonly { readonly pending: number }[] }
}

describeInBrowser('failed calls of extensions', () => {
  let server: Server
  let window: Window
  let page: Page
  let folder: string
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-extended-'))
    writeFileSync(path.join(folder, 'quire.config.mjs'), CONFIG)
    const types = path.join(folder, 'content-types')
    mkdirSync(types)
    writeFileSync(path.join(types, 'echo.json'), JSON.stringify(TYPE))
    server = await startServer(
      { CONTENT_TYPES_DIR: types },
      'dist/src/server/main.js',
      undefined,
      folder,
    )
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
    await server.ask('POST', '/admin/content/api::echo.echo', { data: { text: 'one' } })
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  const failures = (): Promise<Failures> => server.ask('GET', '/admin/extension-failures')
  const open = async (): Promise<void> => {
    await page.goto(`${server.address}/studio/settings/webhooks`)
    await page.getByRole('heading', { level: 2, name: 'Extensions' }).waitFor()
  }

  it('lists the extensions, with their failed calls', async () => {
    await open()
    const section = page.getByRole('region', { name: 'Extensions' })
    await section.getByText('ping', { exact: true }).waitFor()
    const shown = section.getByRole('button', { name: 'Failed calls of ping' })
    await shown.waitFor({ timeout: WAIT_MS })
    await section
      .getByText(/\d failed calls?/)
      .first()
      .waitFor()
    await expectAccessible(page, 'extensions')
    await shown.click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText(/extensions have caused each other's writes/)
      .first()
      .waitFor()
    await expectAccessible(page, 'failed calls')
    const href = await dialog.getByRole('link').first().getAttribute('href')
    expect(href).to.match(/^\/studio\/content\/echoes\/[a-z0-9]{24}$/)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('retries a call and all calls with the keyboard, and records them in the audit', async () => {
    for (const button of [/^Retry: /, 'Retry all']) {
      const [before] = (await failures()).data.filter(({ extension }) => extension === 'ping')
      await open()
      await page.getByRole('button', { name: 'Failed calls of ping' }).focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: button }).first().focus()
      await page.keyboard.press('Enter')
      await page.getByText('Retrying in a moment').first().waitFor()
      const isRetried = async (): Promise<boolean> => {
        const [letter] = (await failures()).data.filter(({ extension }) => extension === 'ping')
        return letter !== undefined && letter.deadAt !== before?.deadAt
      }
      while (!(await isRetried())) await page.waitForTimeout(100)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await page.goto(`${server.address}/studio/settings/audit`)
    const rows = page.getByRole('region', { name: 'Events' }).getByRole('row')
    const retried = rows.filter({ hasText: 'Extensions: changed' }).filter({ hasText: 'ping' })
    await retried.first().waitFor()
    expect(await retried.count()).to.equal(2)
  })

  it('fits 360 pixels', async () => {
    await page.setViewportSize({ width: 360, height: 720 })
    await open()
    await expectNoSidewaysScrolling(page, 'extensions')
    await page.getByRole('button', { name: 'Failed calls of ping' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry all' }).waitFor()
    await expectNoSidewaysScrolling(page, 'failed calls')
  })

  it('logs no browser errors', () => {
    expect(window.complaints).to.deep.equal([])
  })
})
