import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from './browser.ts'
import { fieldAt, openAs, PERSON, startWithEditors } from './editors.ts'

const COMPONENTS = 50
const KEYS = 100
const MAX_MS = 16
/** Where that is more: of what a key costs, on the same machine, in a page of as many fields that has no script. */
const MAX_TIMES = 3
/** Other work of a machine makes a thread slower, and never quicker: the best round counts. */
const ROUNDS = 4

/** Frames are not held back until the screen asks for one, which would be counted as work of ours. */
const NO_VSYNC = ['--disable-gpu-vsync', '--disable-frame-rate-limit']

describeInBrowser('typing in a long entry', function () {
  it(`paints 95 of 100 keys within ${MAX_MS} ms, or ${MAX_TIMES} times the time of a bare page, with ${COMPONENTS} components and 10 relations`, async () => {
    const server = await startWithEditors()
    const window = await openAs(server, 'Ada', {}, NO_VSYNC)
    const { page } = window
    try {
      const { data: persons } = await server.ask('GET', PERSON)
      const ids = persons.map(({ documentId }: { documentId: string }) => documentId)
      const links = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`link${at}`, ids]))
      const sections = Array.from({ length: COMPONENTS }, (_, at) => ({
        __component: 'parts.quote',
        text: `Component ${at}`,
        source: 'somebody',
      }))
      const { data } = await server.ask('POST', '/admin/content/api::wide.wide', {
        data: { title: 'Wide', sections, ...links },
      })
      await page.goto(`${server.address}/studio/content/wides/${data.documentId}`)
      await page.getByRole('button', { name: 'Expand all' }).click()
      const text = fieldAt(page, 'sections').getByRole('textbox', { name: 'Text' })
      await text.last().waitFor()
      expect(await text.count()).to.equal(COMPONENTS)
      await text.nth(COMPONENTS / 2).click()
      const bare = await window.context.newPage()
      const fields = await page.locator('input, textarea').count()
      await bare.setContent('<textarea></textarea>'.repeat(fields))
      await bare.locator('textarea').nth(COMPONENTS).click()
      const typists = { bare: await openTypist(bare), entry: await openTypist(page) }
      const rounds: boolean[] = []
      while (rounds.length < ROUNDS && !rounds.includes(true)) {
        const control = await typists.bare.type(KEYS)
        const { painted, worked } = await typists.entry.type(KEYS)
        // oxlint-disable-next-line no-console -- the figures are what the test is for
        console.log(
          `      until painted: ${words(painted)}; of that work of the page: ${words(worked)}; of a page without script: ${words(control.worked)}`,
        )
        const mostMs = Math.max(MAX_MS, MAX_TIMES * at(control.worked, 0.95))
        rounds.push(at(worked, 0.95) <= mostMs)
      }
      expect(rounds).to.include(true)
    } finally {
      await window.close()
      await server.stop()
    }
  }).timeout(180_000)
})

interface Times {
  /** From the press of a key until it was painted, by the clock: other work of this machine counts. */
  readonly painted: readonly number[]
  /** What the page's thread worked meanwhile: scripts, styles, layout and painting. */
  readonly worked: readonly number[]
}

interface Typist {
  /** Types so many letters, and waits for each until it was painted. */
  type(keys: number): Promise<Times>
}

async function openTypist(page: Page): Promise<Typist> {
  await page.evaluate(() => {
    let tell: (ms: number) => void
    Object.assign(globalThis, {
      awaitPaint: () => {
        const painted = new Promise<number>((resolve) => {
          tell = resolve
        })
        Object.assign(globalThis, { nextPaint: () => painted })
      },
    })
    const onKey = (event: KeyboardEvent): void => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.addEventListener('message', () => tell(performance.now() - event.timeStamp))
        port1.start()
        port2.postMessage(null)
      })
    }
    document.addEventListener('keydown', onKey, { capture: true })
  })
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const work = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
  return {
    type: async (keys) => {
      await page.bringToFront()
      const painted: number[] = []
      const worked: number[] = []
      for (let key = 0; key < keys; key += 1) {
        await page.evaluate(() => awaitPaint())
        const before = await work()
        await page.keyboard.type('abcdefghij'.charAt(key % 10))
        painted.push(await page.evaluate(() => nextPaint()))
        worked.push((await work()) - before)
      }
      return { painted, worked }
    },
  }
}

declare function awaitPaint(): void
declare function nextPaint(): Promise<number>

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Infinity
}

function words(times: readonly number[]): string {
  return `p50 ${at(times, 0.5).toFixed(1)} ms, p95 ${at(times, 0.95).toFixed(1)} ms`
}
