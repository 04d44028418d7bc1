import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
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

describe('the configurations of mocha', () => {
  const names = readdirSync(ROOT).filter((name) => /^\.mocharc\..*json$/.test(name))
  for (const name of names) {
    it(`name files that exist: ${name}`, () => {
      const { spec = [], ignore = [] } = JSON.parse(
        readFileSync(`${ROOT}/${name}`, 'utf8'),
      ) as Readonly<Record<'spec' | 'ignore', readonly string[] | undefined>>
      const lost = [...spec, ...ignore]
        .flatMap(expandBraces)
        .filter((pattern) => !SOURCES.some((path) => toSource(pattern).test(path)))
      expect(lost).to.deep.equal([])
    })
  }
})
