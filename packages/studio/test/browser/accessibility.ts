import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly {
    readonly target: readonly string[]
    readonly failureSummary?: string
    readonly html: string
  }[]
}

/** What closes a popover for screen readers stands beside it, in no landmark: a habit of React Aria, no rule of WCAG. */
const OPTIONS = { rules: { region: { enabled: false } } }

declare const axe: { run(options: object): Promise<{ readonly violations: readonly Violation[] }> }

/** Nothing that axe-core knows to be wrong is on the page, in light and in dark. */
export async function expectAccessible(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
    await untilSelectionSettled(page)
    const violations = await page.evaluate(
      async (options) => (await axe.run(options)).violations,
      OPTIONS,
    )
    const told = violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, html, failureSummary = '' }) =>
          `${id} ${target.join(' ')} ${html} ${failureSummary}`,
      ),
    )
    expect(told, `${screen}, ${colorScheme}`).to.deep.equal([])
  }
}

/** React Aria names the new selected option half a second after a list changes, so that screen readers read the text first. */
async function untilSelectionSettled(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[aria-activedescendant]')].every(
      (input) =>
        document.getElementById(input.getAttribute('aria-activedescendant') ?? '') !== null,
    ),
  )
}

/** Nothing is wider than the window. */
export async function expectNoSidewaysScrolling(page: Page, screen: string): Promise<void> {
  const { wide, window } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    window: innerWidth,
  }))
  expect(wide, screen).to.be.at.most(window)
}
