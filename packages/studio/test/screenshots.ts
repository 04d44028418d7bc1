// Ten pictures of the sample content into docs/studio:
//
//   npm run screenshots -w packages/studio [-- name...]
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { openBrowser } from './browser/browser.ts'
import { startSite, stopSite, typesWithPreview } from './browser/preview-site.ts'
import { type Answer, type Server, startServer } from './browser/server.ts'
import { beFirst } from './browser/signed-in.ts'

const SAMPLE = fileURLToPath(new URL('../../../../content-types/', import.meta.url))
const FOLDER = fileURLToPath(new URL('../../../../docs/studio/', import.meta.url))
const ARTICLE = 'api::article.article'
const GRACE = { name: 'Grace Hopper', email: 'grace@example.org', password: 'a bug in relay 70' }
const DAY_MS = 24 * 3_600_000

interface Scene {
  readonly server: Server
  readonly page: Page
  /** A window of another editor. */
  readonly grace: Page
  /** The ids of the articles, by title. */
  readonly articles: readonly string[]
}

type Visit = (scene: Scene) => Promise<void>

const screen = ({ server }: Scene, name: string): string => `${server.address}/studio/${name}`

async function open(scene: Scene, name: string): Promise<void> {
  await scene.page.goto(screen(scene, name), { waitUntil: 'networkidle' })
}

async function openArticle(scene: Scene, at: number): Promise<void> {
  await open(scene, `content/articles/${scene.articles[at]}`)
  await scene.page.mouse.move(1, 1)
  await scene.page.getByRole('toolbar').first().waitFor()
}

const sideOf = (page: Page, name: string): Locator =>
  page.getByRole('complementary').getByRole('region', { name })

/** Sends a request with the session of a window. */
async function send(page: Page, target: string, method: string, body: unknown): Promise<void> {
  const status = await page.evaluate(
    async ([to, how, json]) => {
      const headers = { 'Content-Type': 'application/json' }
      const sent = { method: how, headers, body: json }
      return (await fetch(to, sent)).status
    },
    [target, method, JSON.stringify(body)] as const,
  )
  if (status >= 300) throw new Error(`${method} ${target}: ${status}`)
}

const pathOf = ({ articles }: Scene, at: number): string =>
  `/admin/content/${ARTICLE}/${articles[at]}`

async function planArticles(scene: Scene): Promise<void> {
  for (const [at, action] of ['unpublish', 'publish', 'unpublish', 'publish'].entries()) {
    const date = new Date(Date.now() + (at * 2 + 1) * DAY_MS)
    date.setUTCHours(8 + at, 30, 0, 0)
    const target = `${pathOf(scene, at)}/actions/${action}?locale=en`
    await scene.server.ask('POST', target, { data: { at: date.toISOString() } })
  }
}

async function askDemo(scene: Scene): Promise<void> {
  const { data } = await scene.server.ask('GET', '/admin/administrators')
  const demo = (data as readonly Answer[]).find(({ email }) => email !== GRACE.email)
  const review = { stage: 'in-review', assignee: demo.id }
  await send(scene.grace, `${pathOf(scene, 2)}/review?locale=en`, 'PUT', review)
  const comment = { text: `@${demo.name} Is the first sentence too long?`, mentions: [demo.id] }
  const body = { ...comment, attribute: 'excerpt' }
  await send(scene.grace, `${pathOf(scene, 2)}/comments?locale=en`, 'POST', body)
}

const SCENES: Readonly<Record<string, Visit>> = {
  entry: async (scene) => {
    const { page, grace, articles } = scene
    await grace.goto(screen(scene, `content/articles/${articles[1]}`))
    await grace.getByRole('textbox', { name: 'Excerpt' }).focus()
    await openArticle(scene, 1)
    await page.getByText('Grace Hopper is here').first().waitFor()
  },
  review: async (scene) => {
    const { page } = scene
    await askDemo(scene)
    await openArticle(scene, 2)
    await sideOf(page, 'Comments').getByRole('listitem').first().waitFor()
    await sideOf(page, 'Review').scrollIntoViewIfNeeded()
  },
  list: async (scene) => {
    await open(scene, 'content/articles?sort=title%3Aasc')
    const rows = scene.page.getByRole('grid').getByRole('row')
    await rows.nth(2).locator('label').click()
    await rows.nth(3).locator('label').click()
  },
  history: async (scene) => {
    const { page } = scene
    await openArticle(scene, 3)
    for (const [label, text] of [
      ['Title', 'Islands that a border crosses'],
      ['Excerpt', 'Borneo has three states, and most islands have one.'],
      ['Title', 'Islands with a border across them'],
    ] as const) {
      await page.getByRole('textbox', { name: label, exact: true }).fill(text)
      await page.getByText('Saved now').waitFor()
      await page.getByRole('button', { name: 'Publish changes' }).click()
      await page.locator('main header').getByText('Published', { exact: true }).waitFor()
    }
    await openArticle(scene, 3)
    await page.getByRole('button', { name: 'All versions' }).click()
    await page.getByRole('dialog').getByRole('option').last().click()
  },
  crop: async (scene) => {
    const { page } = scene
    await open(scene, 'media')
    await page.getByRole('row').first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Crop' }).click()
    const dialog = page.getByRole('dialog', { name: /^Crop/ })
    await dialog.getByRole('application').waitFor()
    await dialog.getByRole('textbox', { name: 'Width' }).fill('400')
    await dialog.getByRole('textbox', { name: 'From the left' }).fill('120')
    await page.keyboard.press('Tab')
  },
  calendar: async (scene) => {
    await planArticles(scene)
    await open(scene, 'calendar')
  },
  languages: async (scene) => {
    const { page } = scene
    await scene.grace.goto(screen(scene, ''))
    await openArticle(scene, 1)
    await page.getByRole('button', { name: 'Show next to the fields' }).click()
    await page.getByRole('option', { name: 'German' }).click()
    await page.locator('[data-field=body] [data-open]').waitFor()
    await page.getByRole('button', { name: 'Copy all from German' }).waitFor()
  },
  preview: async (scene) => {
    const { page } = scene
    await openArticle(scene, 5)
    const hide = page.getByRole('button', { name: 'Hide', exact: true })
    if (await hide.isVisible()) await hide.click()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.frameLocator('iframe:visible').getByRole('heading').waitFor()
  },
  home: (scene) => open(scene, ''),
}

/** On a server in development, whose declarations are copies. */
const declaration: Visit = async (scene) => {
  const { page } = scene
  await open(scene, 'settings/types')
  await page.getByRole('button', { name: 'Edit Article' }).click()
  await page.getByRole('list', { name: 'Attributes' }).waitFor()
}

const wanted = process.argv.slice(2)
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)

async function take(page: Page, name: string): Promise<void> {
  process.stdout.write(`${name}\n`)
  await page.waitForLoadState('networkidle')
  const picture = await page.screenshot({ animations: 'disabled' })
  await sharp(picture).webp({ quality: 80 }).toFile(`${FOLDER}${name}.webp`)
}

const LIGHT = { deviceScaleFactor: 1.5, colorScheme: 'light', reducedMotion: 'reduce' } as const

/** The types of the sample, with a preview and a review of articles. */
function reviewedTypes(folder: string): string {
  const file = path.join(folder, 'article.json')
  const declared = JSON.parse(readFileSync(file, 'utf8'))
  declared.options.review = {}
  writeFileSync(file, JSON.stringify(declared))
  return folder
}

async function takeScenes(): Promise<void> {
  const address: { current?: string } = {}
  const site = await startSite(() => address.current ?? '', 'articles')
  const types = reviewedTypes(typesWithPreview(SAMPLE, 'article', site))
  const server = await startServer({ CONTENT_TYPES_DIR: types }, 'dist/tools/bench/src/demo.js')
  address.current = server.address
  const [window, other] = [await openBrowser(LIGHT), await openBrowser(LIGHT)]
  try {
    const { page } = window
    await page.goto(await server.signInLink())
    await page.getByRole('button').first().click()
    await page.getByRole('navigation').getByRole('link').first().waitFor()
    await server.ask('POST', '/admin/administrators', { ...GRACE, roles: ['administrator'] })
    await other.page.goto(`${server.address}/studio/sign-in`)
    await other.page.getByLabel('E-mail').fill(GRACE.email)
    await other.page.getByLabel('Password').fill(GRACE.password)
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.page.getByRole('heading', { level: 1, name: GRACE.name }).waitFor()
    const query = 'status=published&locale=en&sort=title'
    const { data } = await server.ask('GET', `/admin/content/${ARTICLE}?${query}`)
    const articles = (data as readonly Answer[]).map(({ documentId }) => String(documentId))
    const scene = { server, page, grace: other.page, articles }
    for (const [name, visit] of Object.entries(SCENES)) {
      if (!isWanted(name)) continue
      await visit(scene)
      await take(page, name)
    }
  } finally {
    await Promise.all([window.close(), other.close()])
    await server.stop()
    stopSite(site)
    rmSync(types, { recursive: true, force: true })
  }
}

async function takeDeclaration(): Promise<void> {
  const declared = mkdtempSync(path.join(tmpdir(), 'quire-declared-'))
  cpSync(SAMPLE, declared, { recursive: true })
  const env = { CONTENT_TYPES_DIR: declared }
  const server = await startServer(env, 'dist/scripts/dev/watch-server.js')
  const window = await openBrowser(LIGHT)
  try {
    await beFirst(window.page, server)
    await declaration({ server, page: window.page, grace: window.page, articles: [] })
    await take(window.page, 'declaration')
  } finally {
    await window.close()
    await server.stop()
    rmSync(declared, { recursive: true, force: true })
  }
}

if (wanted.length === 0 || Object.keys(SCENES).some(isWanted)) await takeScenes()
if (isWanted('declaration')) await takeDeclaration()
