import { accessSync, constants } from 'node:fs'
import path from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** The path of a Chromium: `QUIRE_BROWSER`, else one that this machine has; null where it has none. */
export function findBrowser(): string | null {
  const given = process.env['QUIRE_BROWSER']
  if (given !== undefined && given !== '') return given
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  const candidates = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name)))
  return candidates.find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
