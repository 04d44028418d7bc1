import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Clauses that stand in for a noun, and words for which engineers have a standard term. */
const NOUN_CLAUSE =
  /\b(what|who|whose|whoever|whatever|whichever|wherever|that which|those (who|that)|of which|nobody|nothing|is no more|are no more|anew|beside|by chance|by now)\b/gi
/** Phrases without any use in a comment or a test title. */
const BANNED = /\b(whoever|for who|is no more|are no more|anew|by chance|one … another)\b/i
const ODD_START = /^\W*(What|Who|Whose|Whoever|Whatever|Nobody|Nothing)\b/

/** Noun clauses per 1,000 words. */
const LIMITS = { prose: 3, comments: 2, titles: 3 } as const
const COMMITS = 30
const MAX_SUBJECT = 72

const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  server: ['src'],
  engine: ['packages/engine/src'],
  client: ['packages/client/src'],
  studio: ['packages/studio/src'],
}

const CODE = ['src', 'scripts', ...workspaceFolders('src')]
const TESTS = ['test', ...workspaceFolders('test')]

function workspaceFolders(folder: string): readonly string[] {
  return ['packages', 'tools']
    .flatMap((parent) =>
      readdirSync(join(ROOT, parent)).map((name) => `${parent}/${name}/${folder}`),
    )
    .filter((path) => existsSync(join(ROOT, path)))
}

function filesIn(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => pattern.test(path) && !/\/(node_modules|dist)\//.test(path))
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

function commentsIn(source: string): readonly string[] {
  const blocks = [...source.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map(([, text = '']) =>
    text.replaceAll(/^\s*\*+ ?/gm, ''),
  )
  const lines = [...source.matchAll(/(?:^\s*\/\/.*\n?)+/gm)].map(([text]) =>
    text.replaceAll(/^\s*\/\/ ?/gm, ''),
  )
  return [...blocks, ...lines].map((text) =>
    text.replaceAll(/`[^`]*`/g, 'X').replaceAll(/\{?@\w+[^}\n]*\}?/g, ''),
  )
}

function titlesIn(source: string): readonly string[] {
  const calls = source.matchAll(/\b(?:it|describe)(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g)
  return [...calls].map(([, , text = '']) => text)
}

function proseIn(markdown: string): readonly string[] {
  const text = markdown
    .replaceAll(/```[\s\S]*?```/g, '')
    .replaceAll(/^(?: {4}|\t|\||#).*$/gm, '')
    .replaceAll(/`[^`]*`/g, 'X')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return [text]
}

/** Noun clauses per 1,000 words. */
function rateOf(texts: readonly string[]): number {
  const text = texts.join('\n')
  const words = text.split(/\s+/).filter(Boolean).length
  return (1_000 * (text.match(NOUN_CLAUSE)?.length ?? 0)) / Math.max(words, 1)
}

function faultsIn(files: readonly string[], textsIn: (source: string) => readonly string[]) {
  return files.flatMap((path) =>
    textsIn(read(path))
      .filter((text) => BANNED.test(text) || ODD_START.test(text))
      .map((text) => `${path}: ${text.trim().slice(0, 80)}`),
  )
}

describe('plain English', () => {
  const pages = filesIn('docs', /\.md$/)
  const groups = {
    docs: [
      'README.md',
      'CONTRIBUTING.md',
      ...pages.filter((path) => !path.includes('/decisions/')),
    ],
    decisions: pages.filter((path) => path.includes('/decisions/')),
  }
  for (const [name, files] of Object.entries(groups)) {
    it(`limits noun clauses in ${name}`, () => {
      expect(rateOf(files.flatMap((path) => proseIn(read(path))))).to.be.at.most(LIMITS.prose)
    })
  }

  for (const folder of CODE) {
    it(`limits noun clauses in the comments of ${folder}`, () => {
      const files = filesIn(folder, /\.tsx?$/)
      expect(faultsIn(files, commentsIn)).to.deep.equal([])
      expect(rateOf(files.flatMap((path) => commentsIn(read(path))))).to.be.at.most(LIMITS.comments)
    })
  }

  for (const folder of TESTS) {
    it(`limits noun clauses in the titles of ${folder}`, () => {
      const files = filesIn(folder, /\.test\.tsx?$/)
      expect(faultsIn(files, titlesIn)).to.deep.equal([])
      expect(rateOf(files.flatMap((path) => titlesIn(read(path))))).to.be.at.most(LIMITS.titles)
    })
  }

  it('limits noun clauses in the texts of the Studio', () => {
    const texts = filesIn('packages/studio/src/texts', /english[^/]*\.ts$/).flatMap((path) =>
      [...read(path).matchAll(/: *\n?\s*(['"`])((?:\\.|(?!\1).)*)\1,?$/gm)].map(
        ([, , text = '']) => text,
      ),
    )
    expect(texts.length).to.be.above(100)
    expect(rateOf(texts)).to.be.at.most(LIMITS.prose)
  })

  for (const [name, folders] of Object.entries(PACKAGES)) {
    it(`exports each name of the package ${name} once`, () => {
      const exported = folders
        .flatMap((folder) => filesIn(folder, /\.tsx?$/))
        .flatMap((path) =>
          [
            ...read(path).matchAll(
              /^export (?:declare |abstract |async )*(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm,
            ),
          ].map(([, symbol = '']) => ({ symbol, path })),
        )
      const paths = new Map<string, Set<string>>()
      for (const { symbol, path } of exported) {
        paths.set(symbol, (paths.get(symbol) ?? new Set()).add(path))
      }
      const twice = [...paths]
        .filter(([, found]) => found.size > 1)
        .map(([symbol, found]) => `${symbol}: ${[...found].join(', ')}`)
      expect(twice).to.deep.equal([])
    })
  }

  it('has commit subjects of the form "room: verb object"', function () {
    if (!existsSync(join(ROOT, '.git'))) this.skip()
    const log = execFileSync('git', ['log', '--no-merges', `-${COMMITS}`, '--format=%s'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    const wrong = log
      .trim()
      .split('\n')
      .filter(
        (subject) =>
          subject.length > MAX_SUBJECT ||
          !/^[a-z][a-z0-9, -]*: [a-z]/.test(subject) ||
          new RegExp(NOUN_CLAUSE, 'i').test(subject),
      )
    expect(wrong).to.deep.equal([])
  })
})
