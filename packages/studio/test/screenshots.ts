// Pictures of each screen into docs/studio, light and dark, from the sample content:
//
//   npm run screenshots -w packages/studio [-- name...]
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { openBrowser } from './browser/browser.ts'
import { type Server, startServer } from './browser/server.ts'
import { startSite, typesWithPreview } from './browser/preview-site.ts'
import { beFirst } from './browser/signed-in.ts'

const SAMPLE = fileURLToPath(new URL('../../../../content-types/', import.meta.url))
const FOLDER = fileURLToPath(new URL('../../../../docs/studio/', import.meta.url))

type Visit = (page: Page, open: (path: string) => Promise<void>, server: Server) => Promise<void>

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
    await page.getByRole('textbox', { name: 'Slug' }).waitFor()
    await page.getByRole('toolbar').first().waitFor()
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
    const first = await title.inputValue()
    for (const end of [' and home', ' and home again']) {
      await title.fill(`${first}${end}`)
      await page.getByText('Saved now').waitFor()
      await page.getByRole('button', { name: 'Publish changes' }).click()
      await page.locator('main header').getByText('Published', { exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'All versions' }).click()
    await page.getByRole('dialog').getByRole('option').last().click()
  },
  'settings-webhooks': async (page, open) => {
    await open('settings/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Website')
    await page.getByRole('dialog').getByLabel('URL').fill('https://build.example.org/hook')
  },
  'settings-audit': (_, open) => open('settings/audit'),
  calendar: async (_, open, server) => {
    for (const [index, path] of (await findArticles(server, 3)).entries()) {
      const at = new Date(Date.now() + (index + 1) * 26 * 3_600_000).toISOString()
      await server.ask('POST', `${path}/actions/unpublish?locale=en`, { data: { at } })
    }
    await open('calendar')
  },
  release: async (_, open, server) => {
    const body = { data: { name: 'Spring' } }
    const { id } = (await server.ask('POST', '/admin/releases', body)).data
    const items = (await findArticles(server, 4)).map((path) => ({
      uid: ARTICLE,
      documentId: path.split('/').at(-1),
      locale: 'en',
      action: 'publish',
    }))
    await server.ask('POST', `/admin/releases/${id}/items`, { data: { items } })
    await open(`releases/${id}`)
  },
  trash: async (_, open, server) => {
    const made = await server.ask('POST', `/admin/content/${ARTICLE}`, {
      data: { title: 'Rivers that end in a desert' },
    })
    await server.ask('DELETE', `/admin/content/${ARTICLE}/${made.data.documentId}`)
    await open('trash')
  },
}

/** On a server in development, whose declarations are copies. */
const IN_DEVELOPMENT: Readonly<Record<string, Visit>> = {
  declaration: async (page, open) => {
    await open('settings/types')
    await page.getByRole('button', { name: 'Edit Article' }).click()
    await page.getByRole('list', { name: 'Attributes' }).waitFor()
  },
  'declaration-attribute': async (page) => {
    await page.getByRole('button', { name: 'Edit category', exact: true }).click()
    await page.getByRole('dialog').waitFor()
  },
}

/** On a server whose articles a site shows. */
const PREVIEWED: Readonly<Record<string, Visit>> = {
  preview: async (page, open) => {
    await page.setViewportSize({ width: 1600, height: 900 })
    await open('content/articles?sort=title%3Aasc')
    await page.getByRole('grid').getByRole('row').nth(2).click()
    await page.waitForURL(/articles\/[a-z0-9]{24}/)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.frameLocator('iframe:visible').getByRole('heading').waitFor()
  },
}

/** In a browser that speaks German. */
const GERMAN: Readonly<Record<string, Visit>> = {
  'german-list': async (page, open) => {
    await open('content/articles?sort=title%3Aasc')
    await page.getByRole('grid').getByRole('row').nth(2).locator('label').click()
  },
  'german-entry': async (page, open) => {
    await open('content/articles?locale=de&sort=title%3Aasc')
    await page.getByRole('grid').getByRole('row').nth(2).click()
    await page.getByRole('textbox', { name: 'Slug' }).waitFor()
    await page.locator('main header').getByText('Entwurf').waitFor()
    await page.getByRole('toolbar').first().waitFor()
  },
  'german-settings': (_, open) => open('settings/account'),
}

const ARTICLE = 'api::article.article'

/** The addresses of some articles that are published in English. */
async function findArticles(server: Server, count: number): Promise<readonly string[]> {
  const query = `status=published&locale=en&pagination[pageSize]=${count}&sort=title`
  const { data } = await server.ask('GET', `/admin/content/${ARTICLE}?${query}`)
  return (data as readonly { documentId: string }[]).map(
    ({ documentId }) => `/admin/content/${ARTICLE}/${documentId}`,
  )
}

const wanted = process.argv.slice(2)
mkdirSync(FOLDER, { recursive: true })

async function take(
  screens: Readonly<Record<string, Visit>>,
  server: Server,
  enter: (page: Page) => Promise<void>,
  language = 'en-GB',
): Promise<void> {
  const window = await openBrowser({ deviceScaleFactor: 2, locale: language })
  const { page } = window
  try {
    await enter(page)
    page.setDefaultTimeout(60_000)
    for (const [name, visit] of Object.entries(screens)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue
      process.stdout.write(`${name}\n`)
      const open = async (path: string): Promise<void> => {
        await page.goto(`${server.address}/studio/${path}`)
        await page.waitForLoadState('networkidle')
      }
      await visit(page, open, server)
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
}

const isWanted = (screens: object): boolean =>
  wanted.length === 0 || Object.keys(screens).some((name) => wanted.includes(name))

const signInto =
  (server: Server) =>
  async (page: Page): Promise<void> => {
    await page.goto(await server.signInLink())
    await page.getByRole('button').first().click()
    await page.getByRole('navigation').getByRole('link').first().waitFor()
  }

for (const [screens, language] of [
  [SCREENS, 'en-GB'],
  [GERMAN, 'de-DE'],
] as const) {
  if (!isWanted(screens)) continue
  const server = await startServer({}, 'dist/tools/bench/src/demo.js')
  await take(screens, server, signInto(server), language)
}
if (isWanted(PREVIEWED)) {
  const address: { current?: string } = {}
  const site = await startSite(() => address.current ?? '', 'articles')
  const types = typesWithPreview(SAMPLE, 'article', site)
  const server = await startServer({ CONTENT_TYPES_DIR: types }, 'dist/tools/bench/src/demo.js')
  address.current = server.address
  await take(PREVIEWED, server, signInto(server))
  site.close()
  rmSync(types, { recursive: true, force: true })
}
if (isWanted(IN_DEVELOPMENT)) {
  const declared = mkdtempSync(path.join(tmpdir(), 'quire-declared-'))
  cpSync(SAMPLE, declared, { recursive: true })
  const env = { CONTENT_TYPES_DIR: declared }
  const server = await startServer(env, 'dist/scripts/dev/watch-server.js')
  await take(IN_DEVELOPMENT, server, (page) => beFirst(page, server))
  rmSync(declared, { recursive: true, force: true })
}
