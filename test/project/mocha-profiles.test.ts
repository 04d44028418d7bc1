import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** A test that was moved leaves its old output behind: what counts is whether there is a source. */
const SOURCES = ['test', 'packages/engine/test', 'packages/studio/test'].flatMap((folder) =>
  readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' }).map(
    (path) => `${folder}/${path.replaceAll('\\', '/')}`,
  ),
)

/** Each by itself, as mocha says nothing of one that matches no file beside others that do. */
function expandBraces(pattern: string): readonly string[] {
  const [, before = '', inside = '', after = ''] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(pattern) ?? []
  if (inside === '') return [pattern]
  return inside.split(',').flatMap((one) => expandBraces(`${before}${one}${after}`))
}

/** `dist/test/x.js` is compiled from `test/x.ts`, that of a package beside it. */
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
  readonly require?: readonly string[]
}

function readProfile(name: string): Profile {
  const program = "process.stdout.write(JSON.stringify(require('./.mocharc.cjs')))"
  const env = { ...process.env, MOCHA_PROFILE: name }
  const output = execFileSync(process.execPath, ['-e', program], { cwd: ROOT, env, stdio: 'pipe' })
  return JSON.parse(output.toString()) as Profile
}

describe('the profiles of mocha', () => {
  for (const name of ['default', 'check', 'pure', 'hard', 'faults', 'studio']) {
    it(`name existing files: ${name}`, () => {
      const { spec = [], require = [] } = readProfile(name)
      const lost = [...spec, ...require]
        .flatMap(expandBraces)
        .filter((pattern) => !SOURCES.some((path) => toSource(pattern).test(path)))
      expect(lost).to.deep.equal([])
    })
  }

  it('refuse an unknown name and list the known ones', () => {
    expect(() => readProfile('nope')).to.throw(
      'MOCHA_PROFILE=nope: the profiles are default, check, pure, hard, faults, studio',
    )
  })
})
