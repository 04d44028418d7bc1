import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a temporary folder for the tests of a file and removes it afterwards. */
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
