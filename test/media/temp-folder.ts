import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own for each file of tests, removed after them. */
export function useTempFolder(): () => string {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-media-'))
  })
  after(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return () => folder
}
