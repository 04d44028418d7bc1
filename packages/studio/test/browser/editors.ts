import { isDeepStrictEqual } from 'node:util'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'

export const TYPES = fileURLToPath(new URL('../../../test/fixtures/content-types', import.meta.url))

export const PIECE = '/admin/content/api::piece.piece'
export const PERSON = '/admin/content/api::person.person'

const PASSWORD = 'a horse, a battery and a staple'

/** A server whose types have every kind of attribute, with two administrators and a few persons. */
export async function startWithEditors(
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const server = await startServer({ CONTENT_TYPES_DIR: TYPES, ...env })
  for (const name of ['Ada', 'Grace']) {
    await server.ask('POST', '/admin/administrators', {
      name,
      email: emailOf(name),
      password: PASSWORD,
      roles: ['administrator'],
    })
  }
  await server.ask('POST', '/admin/locales', { code: 'de' })
  for (const name of ['Emily', 'Walt', 'Sappho']) {
    await server.ask('POST', PERSON, { data: { name } })
  }
  return server
}

function emailOf(name: string): string {
  return `${name.toLowerCase()}@example.org`
}

/** A window in which somebody has signed in. */
export async function openAs(
  server: Server,
  name: string,
  options: BrowserContextOptions = {},
  flags: readonly string[] = [],
): Promise<Window> {
  const window = await openBrowser(options, flags)
  await window.page.goto(`${server.address}/studio/sign-in`)
  await signIn(window.page, name)
  await window.page.getByRole('link', { name: 'Pieces' }).first().waitFor()
  return window
}

interface OpenedEditor {
  readonly server: Server
  readonly window: Window
}

/** Starts a server and signs Ada in, once for the tests of a `describe`. */
export function editorBefore(use: (opened: OpenedEditor) => Promise<void> | void): void {
  let server: Server
  let window: Window
  before(async () => {
    server = await startWithEditors()
    window = await openAs(server, 'Ada')
    await use({ server, window })
  })
  after(async () => {
    await window.close()
    await server.stop()
  })
}

export async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('E-mail').fill(emailOf(name))
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Sets the language of the Studio for the person of the page. */
export async function chooseGerman(page: Page, server: Server): Promise<void> {
  await page.goto(`${server.address}/studio/settings/account`)
  await page.getByRole('button', { name: 'Language of the Studio' }).click()
  await page.getByRole('option', { name: 'Deutsch' }).click()
  await page.getByRole('heading', { level: 2, name: 'Konto' }).waitFor()
}

/** Opens a piece and moves the pointer, so that all its editors load. */
export async function openPiece(page: Page, server: Server, documentId: string): Promise<void> {
  await page.goto(`${server.address}/studio/content/pieces/${documentId}`)
  await titleOf(page).waitFor()
  await page.mouse.move(1, 1)
  await page.mouse.move(2, 2)
}

export function titleOf(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Title', exact: true })
}

/** Until the form says that the server has everything. */
export async function untilSaved(page: Page): Promise<void> {
  await page.getByText(/^Saved (now|this minute|\d)/).waitFor()
}

/**
 * Holds the saves of the page, so that other users write at the same time. Returns a function that
 * lets them go.
 */
export async function holdSaves(page: Page): Promise<() => void> {
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(
    (url) => decodeURIComponent(url.pathname).startsWith(PIECE),
    async (route) => {
      if (route.request().method() === 'PUT') await released
      await route.continue()
    },
  )
  return release
}

/** Forms that the page opens poll for changes from elsewhere, until the returned function is called. */
export async function blockStream(page: Page): Promise<() => Promise<void>> {
  const isStream = /\/admin\/presence\?/
  await page.route(isStream, (route) => route.fulfill({ status: 503, body: '' }))
  return () => page.unroute(isStream)
}

/** Until the head of the form says that apps see what it shows. */
export async function untilPublished(page: Page): Promise<void> {
  await page.locator('main header').getByText('Published', { exact: true }).waitFor()
}

/** The field of an attribute, by its place in the form. */
export function fieldAt(page: Page, place: string): Locator {
  return page.locator(`[data-field="${place}"]`)
}

const MIN_READS = 100
const MAX_PAUSE_MS = 200

/** Reads for up to 10 s until the result is `wanted`: the last save may not have arrived. */
export async function untilStored(read: () => Promise<unknown>, wanted: unknown): Promise<void> {
  const end = Date.now() + 10_000
  let found = await read()
  // A busy machine delays the reads as well as the save. Each read takes CPU time that the save needs.
  for (let reads = 1; Date.now() < end || reads < MIN_READS; reads += 1) {
    if (isDeepStrictEqual(found, wanted)) break
    await new Promise((resolve) => setTimeout(resolve, Math.min(20 * reads, MAX_PAUSE_MS)))
    found = await read()
  }
  expect(found).to.deep.equal(wanted)
}
