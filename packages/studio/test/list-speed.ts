// How soon the list of 135,000 cities is there, from the press on its name to the paint, beside that of a short list:
//
//   node packages/studio/dist/test/list-speed.js [a folder with the data of `npm run seed -- --cities 140000`]
//
// Without a folder it seeds one first, which takes some minutes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { openBrowser } from './browser/browser.ts'
import { type Server, startServer } from './browser/server.ts'

const ROUNDS = 20
const PASSWORD = 'correct horse battery'
/** Frames are not held back until the screen asks for one. */
const NO_VSYNC = ['--disable-gpu-vsync', '--disable-frame-rate-limit']

const [given] = process.argv.slice(2)
const data = given ?? mkdtempSync(path.join(tmpdir(), 'quire-cities-'))
if (given === undefined) {
  const seeding = spawn(process.execPath, ['dist/tools/bench/src/seed.js', '--cities', '140000'], {
    stdio: 'inherit',
    env: { ...process.env, QUIRE_DATA_DIR: data },
  })
  const [code] = (await once(seeding, 'exit')) as [number]
  if (code !== 0) throw new Error('The cities could not be seeded')
}
const server = await startServer({ QUIRE_DATA_DIR: data, MONGODB_DATABASE: 'quire' })
const window = await openBrowser({}, NO_VSYNC)
try {
  const email = await beAdministrator(server)
  const { page } = window
  await page.goto(`${server.address}/studio/sign-in`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('link', { name: 'Cities' }).waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  for (const name of ['Languages', 'Cities']) {
    const first = await openList(page, session, name)
    const others: Opened[] = []
    for (let round = 0; round < ROUNDS; round += 1) others.push(await openList(page, session, name))
    say(`${name}, the first time`, [first])
    say(`${name}, again ${ROUNDS} times`, others)
  }
} finally {
  await window.close()
  await server.stop()
  if (given === undefined) rmSync(data, { recursive: true, force: true })
}

interface Opened {
  /** From the press to the paint of the rows, by the clock. */
  readonly painted: number
  /** What the page's thread worked meanwhile. */
  readonly worked: number
}

async function beAdministrator(server: Server): Promise<string> {
  const email = `list-speed-${Date.now()}@example.org`
  const body = { name: 'List speed', email, password: PASSWORD, roles: ['administrator'] }
  await server.ask('POST', '/admin/administrators', body)
  return email
}

declare function paintedOf(): number

/** From the home screen. */
async function openList(page: Page, session: CDPSession, name: string): Promise<Opened> {
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('grid').waitFor({ state: 'detached' })
  await page.evaluate(watch)
  const link = page.getByRole('link', { name })
  const before = await workOf(session)
  await link.click()
  await page.waitForFunction(() => paintedOf() > 0, null, { polling: 20 })
  return {
    painted: await page.evaluate(() => paintedOf()),
    worked: (await workOf(session)) - before,
  }
}

/** Notes when the first row has been painted after the next press. */
function watch(): void {
  let pressed = 0
  let painted = 0
  Object.assign(globalThis, { paintedOf: () => painted })
  const look = (): void => {
    if (pressed > 0 && document.querySelectorAll('[role=row]').length > 1) {
      const { port1, port2 } = new MessageChannel()
      port1.addEventListener('message', () => {
        painted = performance.now() - pressed
      })
      port1.start()
      port2.postMessage(null)
    } else requestAnimationFrame(look)
  }
  const press = (event: MouseEvent): void => {
    pressed = event.timeStamp
  }
  document.addEventListener('click', press, { capture: true, once: true })
  requestAnimationFrame(look)
}

async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
}

function say(what: string, opened: readonly Opened[]): void {
  const painted = opened.map((one) => one.painted)
  const worked = opened.map((one) => one.worked)
  const words = (times: readonly number[]): string =>
    `p50 ${at(times, 0.5).toFixed(0)} ms, p95 ${at(times, 0.95).toFixed(0)} ms`
  process.stdout.write(`${what}: painted ${words(painted)}; work of the page ${words(worked)}\n`)
}

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Infinity
}
