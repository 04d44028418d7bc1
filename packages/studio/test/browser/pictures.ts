import { join } from 'node:path'
import type { Page } from 'playwright-core'

const FOLDER = process.env['QUIRE_STUDIO_PICTURES']

/** Saves a screenshot where the variable names a folder. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (FOLDER !== undefined) await page.screenshot({ path: join(FOLDER, `${name}.png`) })
}
