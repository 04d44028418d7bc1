import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const FOLDERS = [
  'test',
  'tools/simulate/test',
  'tools/bench/test',
  'packages/engine/test',
  'packages/studio/test',
]
/** Variables of the operating system, and variables that a test sets for its own child process. */
const NOT_FOR_READERS =
  /^(PATH|TZ|CI|NODE_OPTIONS|MOCHA_WORKER_ID|SHIFTED_CLOCK|APP_FAULT|STAND_IN_.*)$/

function variablesOfTests(): readonly string[] {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  )
  const found = sources.flatMap((source) => [
    ...source.matchAll(/process\.env(?:\.|\[')([A-Z][A-Z0-9_]*)|modelRuns\('([A-Z_]+)'/g),
  ])
  const names = found.map(([, read = '', model = '']) => read || model)
  return [...new Set(names)].filter((name) => !NOT_FOR_READERS.test(name)).sort()
}

describe('docs/testing.md', () => {
  it('lists exactly the variables that tests read', () => {
    const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8')
    const listed = [...page.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, name = '']) => name)
    expect([...listed].sort()).to.deep.equal(variablesOfTests())
  })
})
