import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, preview, type PreviewServer } from 'vite'
import { openBrowser, type Window } from '../browser/browser.ts'
import { type Server, startServer } from '../browser/server.ts'

const APP = fileURLToPath(new URL('../../../../../examples/atlas', import.meta.url))

/** The example app, and a server with the sample content. */
export interface Atlas {
  readonly server: Server
  readonly address: string
  /** Neither the app nor the server can be reached. */
  goDown(): Promise<void>
  /** On the same port: to a browser it is the same site. */
  comeBack(): Promise<void>
  stop(): Promise<void>
}

export async function startAtlas(): Promise<Atlas> {
  const environment = { UP_JWT_MANAGEMENT: 'refresh', QUERY_TIMEOUT_MS: '20000' }
  const server = await startServer(environment, 'dist/tools/bench/src/demo.js')
  await permit(server)
  const configFile = `${APP}/vite.config.ts`
  await build({ configFile, logLevel: 'warn' })
  const proxy = Object.fromEntries(['/api', '/uploads'].map((path) => [path, server.address]))
  let app: PreviewServer | undefined
  let port = 0
  const comeBack = async (): Promise<void> => {
    const at = { host: '127.0.0.1', port, proxy }
    app = await preview({ configFile, logLevel: 'silent', preview: at })
    port = Number(new URL(app.resolvedUrls?.local[0] ?? '').port)
  }
  const goDown = async (): Promise<void> => {
    await app?.close()
  }
  await comeBack()
  return {
    server,
    address: `http://127.0.0.1:${port}`,
    goDown,
    comeBack,
    stop: async () => {
      await goDown()
      await server.stop()
    },
  }
}

interface Access {
  readonly roles: Readonly<Record<string, object>>
}

/** The permissions of the app, as `quire apply` stores them. */
export async function permit(server: Server): Promise<void> {
  const { roles } = JSON.parse(await readFile(`${APP}/access.json`, 'utf8')) as Access
  for (const [role, access] of Object.entries(roles)) {
    await server.ask('PUT', `/admin/roles/${role}`, access)
  }
}

const PHONE = { viewport: { width: 360, height: 740 } }
const PASSWORD = 'a horse and a battery'

/** A browser of its own, in which the user is signed in. */
export async function openDevice(atlas: Atlas, name: string, isNew: boolean): Promise<Window> {
  const window = await openBrowser(PHONE)
  const { page } = window
  await page.goto(`${atlas.address}/#/account`)
  if (isNew) {
    await page.getByRole('button', { name: 'I have no account yet' }).click()
    await page.getByLabel('E-mail').fill(`${name}@example.org`)
  }
  await page.getByLabel('User name').fill(name)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: isNew ? 'Make an account' : 'Sign in' }).click()
  await page.getByText(`You are signed in as ${name}.`).waitFor()
  await page.evaluate(() => navigator.serviceWorker.ready)
  return window
}

/** A PNG of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
