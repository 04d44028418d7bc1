// Pictures of each screen into docs/studio, light and dark, from the sample content:
//
//   npm run screenshots -w packages/studio [-- name...]
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { openBrowser } from './browser/browser.ts'
import { startServer } from './browser/server.ts'

const FOLDER = fileURLToPath(new URL('../../../../docs/studio/', import.meta.url))

type Visit = (page: Page, open: (path: string) => Promise<void>) => Promise<void>

/** What is to be seen in each picture. */
const SCREENS: Readonly<Record<string, Visit>> = {
  home: (_, open) => open(''),
  list: async (page, open) => {
    await open('content/articles?sort=title%3Aasc')
    const rows = page.getByRole('grid').getByRole('row')
    await rows.nth(2).locator('label').click()
    await rows.nth(3).locator('label').click()
  },
  'list-filter': async (page, open) => {
    await open(
      'content/countries?filters=%5B%7B%22at%22%3A%22region%22%2C%22is%22%3A%22is%22%2C%22to%22%3A%22Africa%22%7D%5D&sort=area%3Adesc',
    )
    await page.getByRole('button', { name: '+ Filter' }).click()
  },
  entry: async (page, open) => {
    await open('content/articles?sort=title%3Aasc')
    await page.getByRole('grid').getByRole('row').nth(2).click()
    await page.waitForURL(/articles\/[a-z0-9]{24}/)
  },
  media: (_, open) => open('media'),
  'media-file': async (page, open) => {
    await open('media')
    await page.getByRole('row').first().click()
    await page.getByRole('dialog').waitFor()
  },
  palette: async (page, open) => {
    await open('content/cities')
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox', { name: 'Search or go to' }).fill('an')
    await page.getByRole('menuitem').nth(6).waitFor()
  },
  'settings-roles': async (page, open) => {
    await open('settings/api-roles')
    await page.getByRole('button', { name: 'Edit' }).last().click()
    await page.getByRole('dialog').waitFor()
  },
  'settings-administrators': (_, open) => open('settings/administrators'),
  'settings-types': (_, open) => open('settings/types'),
  history: async (page, open) => {
    await open('content/articles?sort=title%3Aasc')
    await page.getByRole('grid').getByRole('row').nth(2).click()
    await page.waitForURL(/articles\/[a-z0-9]{24}/)
    const title = page.getByRole('textbox', { name: 'Title', exact: true })
    for (const end of [' and home', ' and home again']) {
      await title.fill((await title.inputValue()).replace(/( and home)?$/, end))
      await page.getByText('Saved now').waitFor()
    }
    await page.getByRole('button', { name: 'All versions' }).click()
    await page.getByRole('dialog').getByRole('option').last().click()
  },
  'settings-webhooks': async (page, open) => {
    await open('settings/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Website')
    await page.getByRole('dialog').getByLabel('Address').fill('https://build.example.org/hook')
  },
  'settings-audit': (_, open) => open('settings/audit'),
}

const wanted = process.argv.slice(2)
mkdirSync(FOLDER, { recursive: true })
const server = await startServer({}, 'dist/scripts/demo.js')
const window = await openBrowser({ deviceScaleFactor: 2 })
const { page } = window
try {
  await page.goto(await server.signInLink())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Home' }).first().waitFor()
  page.setDefaultTimeout(60_000)
  for (const [name, visit] of Object.entries(SCREENS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    process.stdout.write(`${name}\n`)
    await visit(page, async (path) => {
      await page.goto(`${server.address}/studio/${path}`)
      await page.waitForLoadState('networkidle')
    })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.waitForLoadState('networkidle')
      const picture = await page.screenshot({ animations: 'disabled' })
      await sharp(picture).webp({ quality: 82 }).toFile(`${FOLDER}${name}-${colorScheme}.webp`)
    }
  }
} finally {
  await window.close()
  await server.stop()
}
