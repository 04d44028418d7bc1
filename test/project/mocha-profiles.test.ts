import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** A moved test leaves its compiled file behind, so the sources are checked. */
const SOURCES = [
  'test',
  'tools/bench/test',
  'packages/engine/test',
  'packages/studio/test',
].flatMap((folder) =>
  readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' }).map(
    (path) => `${folder}/${path.replaceAll('\\', '/')}`,
  ),
)

/** Checked one by one, because mocha does not report a pattern without matches next to others. */
function expandBraces(pattern: string): readonly string[] {
  const [, before = '', inside = '', after = ''] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(pattern) ?? []
  if (inside === '') return [pattern]
  return inside.split(',').flatMap((one) => expandBraces(`${before}${one}${after}`))
}

/** `dist/test/x.js` is compiled from `test/x.ts`, or from the test folder of a package or tool. */
function toSource(pattern: string): RegExp {
  const source = pattern.replace(/(^|\/)dist\//, '$1').replace(/\.js$/, '.ts')
  const text = source
    .split(/(\*\*\/|\*)/)
    .map((part) =>
      part === '**/' ? '(?:.*/)?' : part === '*' ? '[^/]*' : part.replaceAll('.', '\\.'),
    )
    .join('')
  return new RegExp(`^${text}$`)
}

interface Profile {
  readonly spec?: readonly string[]
  readonly ignore?: readonly string[]
  readonly require?: readonly string[]
}

function readProfile(name: string): Profile {
  const program = "process.stdout.write(JSON.stringify(require('./.mocharc.cjs')))"
  const env = { ...process.env, MOCHA_PROFILE: name }
  const output = execFileSync(process.execPath, ['-e', program], { cwd: ROOT, env, stdio: 'pipe' })
  return JSON.parse(output.toString()) as Profile
}

/** Whether a test imports `test-database.ts`, also through other helpers. */
function opensTestDatabase(path: string, seen = new Set<string>()): boolean {
  if (path === 'test/support/test-database.ts') return true
  if (seen.has(path) || path.startsWith('src/')) return false
  seen.add(path)
  const source = readFileSync(`${ROOT}/${path}`, 'utf8')
  return [...source.matchAll(/(?:from|import|URL)\s*\(?\s*'(\.[^']+\.[jt]sx?)'/g)]
    .map(([, specifier = '']) => posix.join(posix.dirname(path), specifier.replace(/\.js$/, '.ts')))
    .some((imported) => existsSync(`${ROOT}/${imported}`) && opensTestDatabase(imported, seen))
}

describe('mocha profiles', () => {
  for (const name of ['default', 'check', 'pure', 'database', 'hard', 'faults', 'studio']) {
    it(`refer to existing files: ${name}`, () => {
      const { spec = [], require = [] } = readProfile(name)
      const lost = [...spec, ...require]
        .flatMap(expandBraces)
        .filter((pattern) => !SOURCES.some((path) => toSource(pattern).test(path)))
      expect(lost).to.deep.equal([])
    })
  }

  it('ignore no test of the database: database', () => {
    const ignored = (readProfile('database').ignore ?? [])
      .filter((pattern) => !pattern.includes('.hard.'))
      .flatMap(expandBraces)
      .map((pattern) => toSource(pattern.replace(/\/\*\*$/, '/**/*.test.js')))
    const files = SOURCES.filter((path) => ignored.some((pattern) => pattern.test(path)))
    expect(files.length).to.be.above(50)
    expect(files.filter((path) => opensTestDatabase(path))).to.deep.equal([])
  })

  it('refuse an unknown name and list the known ones', () => {
    expect(() => readProfile('nope')).to.throw(
      'MOCHA_PROFILE=nope: the profiles are default, check, pure, database, hard, faults, studio',
    )
  })
})
