import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { findBrowser } from './find-browser.ts'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface Window {
  readonly page: Page
  readonly context: BrowserContext
  /** What the page complained of: errors of scripts, and what its policy refused. */
  readonly complaints: readonly string[]
  close(): Promise<void>
}

/** A browser with a profile of its own, looking at nothing yet. */
export async function openBrowser(
  options: BrowserContextOptions = {},
  flags: readonly string[] = [],
): Promise<Window> {
  const executablePath = findBrowser()
  if (executablePath === null) throw new Error('There is no browser')
  const profile = mkdtempSync(path.join(tmpdir(), 'quire-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: [...FLAGS, ...flags],
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    ...options,
  })
  context.setDefaultTimeout(30_000)
  const page = context.pages()[0] ?? (await context.newPage())
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return {
    page,
    context,
    complaints,
    close: async () => {
      await context.close()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

/** `describe`, passed over by name where this machine has no browser. */
export function describeInBrowser(title: string, body: () => void): void {
  if (findBrowser() === null) describe.skip(`${title} (no Chromium is to be had here)`, body)
  else describe(title, body)
}
