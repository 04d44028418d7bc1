import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const DOMAIN = ['documents', 'locales', 'media', 'accounts', 'access', 'mongo', 'query', 'schema']
const FOUNDATION = ['deployment', 'log', 'config', 'errors']

/** The rooms, and what each may import besides itself. A room is a folder of src or a file in it. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  config: ['errors'],
  log: ['config'],
  deployment: ['config', 'errors'],
  schema: ['errors'],
  query: ['schema', 'errors'],
  mongo: ['query', 'schema', 'errors'],
  media: ['mongo', 'schema', 'errors'],
  access: ['accounts', 'mongo', 'schema', 'errors'],
  accounts: ['access', 'mongo', 'schema', 'errors'],
  locales: ['mongo', 'schema', 'errors'],
  documents: ['locales', 'mongo', 'media', 'query', 'schema', 'errors'],
  http: [
    'documents',
    'locales',
    'media',
    'accounts',
    'access',
    'query',
    'schema',
    'config',
    'log',
    'errors',
  ],
  serve: ['config', 'errors'],
  run: ['serve', 'deployment', 'log', 'config', 'errors'],
  services: [...DOMAIN, ...FOUNDATION],
  app: [...DOMAIN, 'services', 'http', 'run', 'serve', ...FOUNDATION],
  main: ['app', 'run', 'deployment', 'config'],
  cli: [...DOMAIN, 'services', ...FOUNDATION],
}

/** Packages that are the business of some rooms only; any other package may be used anywhere. */
const PACKAGES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^mongodb$/, ['mongo', 'access', 'accounts', 'media', 'deployment']],
  [/^mongodb-memory-server/, ['deployment']],
  [/^(koa|koa-.*|@koa\/.*)$/, ['http', 'app']],
  [/^@aws-sdk\//, ['media']],
  [/^(jose|nodemailer|@node-rs\/argon2)$/, ['accounts']],
  [/^qs$/, ['http']],
  [/^(bson|lmdb)(\/.*)?$/, []],
  [/^@quire\/engine$/, ['deployment']],
  [/^(pino|pino-pretty)$/, ['log', 'http', 'services', 'app']],
]

const FORBIDDEN_FOLDERS = ['utils', 'helpers', 'common', 'types', 'lib', 'misc', 'shared']

interface Module {
  readonly path: string
  readonly room: string
  readonly imports: readonly string[]
}

const modules = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.split('\\').join('/'))
  .filter((path) => path.endsWith('.ts'))
  .map(readModule)

function readModule(path: string): Module {
  const source = readFileSync(join(ROOT, 'src', path), 'utf8')
  const found = source.matchAll(/^(?!\s*(?:\*|\/\/)).*?(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/gm)
  const imports = [...found].map(([, specifier = '']) =>
    specifier.startsWith('.') ? posix.join(dirname(path), specifier) : specifier,
  )
  return { path, room: roomOf(path), imports }
}

function roomOf(path: string): string {
  const [first = '', second] = path.split('/')
  if (second !== undefined) return first
  return first.replace(/\.ts$/, '')
}

const isOurs = (imported: string): boolean => imported.endsWith('.ts')

describe('architecture', () => {
  it('knows every room', () => {
    const unknown = modules.filter(({ room }) => MAY_IMPORT[room] === undefined)
    expect(unknown.map(({ path }) => path)).to.deep.equal([])
  })

  it('has imports in the allowed direction only, types included', () => {
    const wrong = modules.flatMap(({ path, room, imports }) =>
      imports
        .filter(isOurs)
        .filter((imported) => {
          const target = roomOf(imported)
          return target !== room && MAY_IMPORT[room]?.includes(target) !== true
        })
        .map((imported) => `${path} imports ${imported}`),
    )
    expect(wrong).to.deep.equal([])
  })

  it('uses packages where they belong', () => {
    const wrong = modules.flatMap(({ path, room, imports }) =>
      imports
        .filter((imported) => !isOurs(imported))
        .filter((name) =>
          PACKAGES.some(([pattern, rooms]) => pattern.test(name) && !rooms.includes(room)),
        )
        .map((name) => `${path} imports ${name}`),
    )
    expect(wrong).to.deep.equal([])
  })

  it('has no cycle, type imports included', () => {
    expect(findCycle()).to.deep.equal([])
  })

  it('imports files that exist, by their own name', () => {
    const known = new Set(modules.map(({ path }) => path))
    const missing = modules.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => isOurs(imported) && !known.has(imported))
        .map((imported) => `${path} imports ${imported}`),
    )
    expect(missing).to.deep.equal([])
  })

  it('names files in kebab-case, without barrels and catch-all folders', () => {
    const wrong = modules
      .map(({ path }) => path)
      .filter((path) => {
        const parts = path.replace(/\.ts$/, '').split('/')
        const isPlain = parts.every((part) => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(part))
        return (
          !isPlain ||
          parts.at(-1) === 'index' ||
          parts.slice(0, -1).some((part) => FORBIDDEN_FOLDERS.includes(part))
        )
      })
    expect(wrong).to.deep.equal([])
  })

  it('is the table of CONTRIBUTING.md', () => {
    const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
    const rows = [...text.matchAll(/^\| +`([a-z]+)` +\|/gm)].map(([, room = '']) => room)
    expect(rows.sort()).to.deep.equal(Object.keys(MAY_IMPORT).sort())
  })
})

/** The files of one import cycle; empty when there is none. */
function findCycle(): readonly string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return []
    for (const imported of byPath.get(path)?.imports.filter(isOurs) ?? []) {
      const cycle = visit(imported, [...trail, path])
      if (cycle.length > 0) return cycle
    }
    done.add(path)
    return []
  }
  for (const { path } of modules) {
    const cycle = visit(path, [])
    if (cycle.length > 0) return cycle.map((file) => relative('', file))
  }
  return []
}
