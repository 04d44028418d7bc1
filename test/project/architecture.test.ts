import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * The wings of src and their allowed imports. A wing is a folder of src.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  schema: ['base'],
  query: ['schema', 'base'],
  extensions: ['schema', 'base'],
  mongo: ['query', 'schema', 'base'],
  media: ['mongo', 'extensions', 'schema', 'base'],
  people: ['mongo', 'query', 'extensions', 'schema', 'base'],
  content: ['people', 'media', 'mongo', 'query', 'extensions', 'schema', 'base'],
  changes: ['content', 'people', 'mongo', 'query', 'extensions', 'schema', 'base'],
  describe: ['people', 'query', 'extensions', 'schema', 'base'],
  transfer: ['content', 'people', 'media', 'mongo', 'query', 'extensions', 'schema', 'base'],
  http: [
    'describe',
    'changes',
    'content',
    'people',
    'media',
    'query',
    'extensions',
    'schema',
    'base',
  ],
  server: [
    'http',
    'describe',
    'changes',
    'content',
    'people',
    'media',
    'mongo',
    'query',
    'extensions',
    'schema',
    'base',
  ],
  cli: [
    'server',
    'transfer',
    'describe',
    'changes',
    'content',
    'people',
    'media',
    'mongo',
    'query',
    'extensions',
    'schema',
    'base',
  ],
}

/** Packages that only some folders may import. All other packages may be imported anywhere. */
const PACKAGES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^mongodb$/, ['mongo', 'extensions', 'people', 'media', 'server/deployment']],
  [/^mongodb-memory-server/, ['server/deployment']],
  [/^(koa|koa-.*|@koa\/.*)$/, ['http', 'server']],
  [/^@aws-sdk\//, ['media']],
  [/^(jose|nodemailer)$/, ['people/accounts', 'people/identities']],
  [/^(bcryptjs|@node-rs\/argon2)$/, ['people/sign-in']],
  [/^qs$/, ['http']],
  [/^lru-cache$/, ['changes/answers', 'http', 'mongo/search']],
  [/^node-sqlite3-wasm$/, ['cli']],
  [/^bson(\/.*)?$/, []],
  [/^(lmdb|tar-stream|csv-parse)$/, ['transfer']],
  [/^esbuild$/, ['extensions/configuration', 'server/register']],
  [/^croner$/, ['extensions']],
  [/^ajv/, ['http/extensions']],
  [/^@quire\/engine$/, ['server/deployment']],
  [/^@quire\/engine\/filter$/, ['mongo']],
  [/^(pino|pino-pretty)$/, ['base', 'http', 'server']],
]

/** The folders and files of the engine. Each may import only earlier ones. */
const ENGINE = [
  'errors',
  'deadline',
  'bson',
  'expression',
  'filter',
  'storage',
  'query',
  'pipeline',
  'update',
  'request',
  'commands',
  'server',
  'run-engine',
  'reader',
  'worker',
  'ownership',
  'start-embedded',
]

/** The folders and files of the Studio. Each may import only earlier ones. */
const STUDIO = ['texts', 'api', 'design', 'entry', 'fields', 'screens', 'shell', 'main']

/** The most files and lines of code that a reader of a path has to load: its file and all that it imports. */
const MAX_CLOSURES: Readonly<Record<string, readonly [files: number, lines: number]>> = {
  'content/read/find-documents.ts': [71, 7_100],
  'content/write/create-document.ts': [96, 10_000],
  'content/write/update-document.ts': [104, 10_500],
  'content/write/publish-document.ts': [102, 10_000],
}

const FORBIDDEN_FOLDERS = ['utils', 'helpers', 'common', 'types', 'lib', 'misc', 'shared']

const isOurs = (imported: string): boolean => /\.tsx?$/.test(imported)

interface Module {
  readonly path: string
  readonly room: string
  readonly imports: readonly string[]
}

function readModules(folder: string): readonly Module[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => path.split('\\').join('/'))
    .filter(isOurs)
    .map((path) => readModule(folder, path))
}

function readModule(folder: string, path: string): Module {
  const source = readFileSync(join(ROOT, folder, path), 'utf8')
  const found = source.matchAll(/^(?!\s*(?:\*|\/\/)).*?(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/gm)
  const imports = [...found].map(([, specifier = '']) =>
    specifier.startsWith('.') ? posix.join(dirname(path), specifier) : specifier,
  )
  return { path, room: roomOf(path), imports }
}

const modules = readModules('src')
const engine = readModules('packages/engine/src')
const studio = readModules('packages/studio/src')
const migrate = readModules('packages/migrate/src')
const schema = readModules('packages/schema/src')
const merge = readModules('packages/merge/src')
const nativeClients = readModules('packages/native-clients/src')
const packages = readdirSync(join(ROOT, 'packages')).filter((name) =>
  existsSync(join(ROOT, 'packages', name, 'src')),
)

function roomOf(path: string): string {
  const [first = '', second] = path.split('/')
  if (second !== undefined) return first
  return first.replace(/\.tsx?$/, '')
}

describe('architecture', () => {
  it('lists every wing', () => {
    const unknown = modules.filter(({ room }) => MAY_IMPORT[room] === undefined)
    expect(unknown.map(({ path }) => path)).to.deep.equal([])
  })

  it('allows imports in one direction only, including types', () => {
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

  it('restricts packages to their folders', () => {
    const wrong = modules.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => !isOurs(imported))
        .filter((name) =>
          PACKAGES.some(
            ([pattern, folders]) =>
              pattern.test(name) && !folders.some((folder) => path.startsWith(`${folder}/`)),
          ),
        )
        .map((name) => `${path} imports ${name}`),
    )
    expect(wrong).to.deep.equal([])
  })

  it('allows no import cycle between files, including types', () => {
    expect(findCycle(graphOf(modules, ({ path }) => path))).to.deep.equal([])
    expect(findCycle(graphOf(engine, ({ path }) => path))).to.deep.equal([])
    expect(findCycle(graphOf(studio, ({ path }) => path))).to.deep.equal([])
    expect(findCycle(graphOf(migrate, ({ path }) => path))).to.deep.equal([])
    expect(findCycle(graphOf(nativeClients, ({ path }) => path))).to.deep.equal([])
  })

  it('allows no import cycle between folders of a wing', () => {
    expect(findCycle(graphOf(modules, folderOf))).to.deep.equal([])
    for (const name of packages) {
      const files = readModules(`packages/${name}/src`)
      expect(findCycle(graphOf(files, folderOf)), name).to.deep.equal([])
    }
  })

  it('limits the files and lines that the paths of reads and writes import', () => {
    for (const [entry, limits] of Object.entries(MAX_CLOSURES)) {
      const files = closureOf(entry)
      const lines = files.reduce((sum, path) => sum + codeLinesOf(path), 0)
      expect(files.length, `files of ${entry}`).to.be.within(30, limits[0])
      expect(lines, `lines of ${entry}`).to.be.within(3_000, limits[1])
    }
  })

  it('allows at most thirty files in a folder', () => {
    const folders = modules.map(({ path }) => dirname(path)).filter((folder) => folder !== '.')
    const crowded = [...new Set(folders)].filter(
      (folder) => folders.filter((one) => one === folder).length > 30,
    )
    expect(crowded).to.deep.equal([])
  })

  it('lets folders of packages import earlier ones only', () => {
    expect(againstOrder(engine, ENGINE)).to.deep.equal([])
    expect(againstOrder(studio, STUDIO)).to.deep.equal([])
  })

  it('lets packages import no file outside of them', () => {
    const outside = packages.flatMap((name) =>
      readModules(`packages/${name}/src`).flatMap(({ path, imports }) =>
        imports
          .filter((imported) => /^\.\.|^@quire\/(server|bench|simulate)/.test(imported))
          .map((imported) => `${name}/${path} imports ${imported}`),
      ),
    )
    expect(outside).to.deep.equal([])
  })

  it('requires imported files to exist under their own name', () => {
    const known = new Set(modules.map(({ path }) => path))
    const missing = modules.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => isOurs(imported) && !known.has(imported))
        .map((imported) => `${path} imports ${imported}`),
    )
    expect(missing).to.deep.equal([])
  })

  it('requires kebab-case names, without barrels and catch-all folders', () => {
    const wrong = [
      ...modules,
      ...engine,
      ...studio,
      ...migrate,
      ...schema,
      ...merge,
      ...nativeClients,
    ]
      .map(({ path }) => path)
      .filter((path) => {
        const parts = path.replace(/\.tsx?$/, '').split('/')
        const isPlain = parts.every((part) => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(part))
        return (
          !isPlain ||
          parts.at(-1) === 'index' ||
          parts.slice(0, -1).some((part) => FORBIDDEN_FOLDERS.includes(part))
        )
      })
    expect(wrong).to.deep.equal([])
  })

  it('matches the table of CONTRIBUTING.md', () => {
    const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
    const rows = [...text.matchAll(/^\| +`([a-z-]+)` +\|/gm)].map(([, room = '']) => room)
    expect(rows.sort()).to.deep.equal(Object.keys(MAY_IMPORT).sort())
  })
})

/** The folder of a file within its wing. A file next to those folders stands for itself. */
function folderOf({ path }: Pick<Module, 'path'>): string {
  const folder = dirname(path)
  return folder.includes('/') ? folder : path
}

function closureOf(entry: string): readonly string[] {
  const importsOf = new Map(modules.map(({ path, imports }) => [path, imports.filter(isOurs)]))
  const found = new Set([entry])
  for (const path of found) {
    for (const imported of importsOf.get(path) ?? []) found.add(imported)
  }
  return [...found]
}

/** Lines without comments and blank lines. */
function codeLinesOf(path: string): number {
  const text = readFileSync(join(ROOT, 'src', path), 'utf8')
  const lines = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').split('\n')
  return lines.filter((line) => line.trim() !== '').length
}

/** Returns imports of folders that do not precede the importing one. */
function againstOrder(files: readonly Module[], order: readonly string[]): readonly string[] {
  return files.flatMap(({ path, room, imports }) =>
    imports
      .filter(isOurs)
      .filter((imported) => {
        const target = roomOf(imported)
        return target !== room && !order.slice(0, order.indexOf(room)).includes(target)
      })
      .map((imported) => `${path} imports ${imported}`),
  )
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Builds the import graph of nodes. `nodeOf` maps a file to its node. */
function graphOf(files: readonly Module[], nodeOf: (file: Pick<Module, 'path'>) => string): Graph {
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    const node = nodeOf(file)
    const targets = graph.get(node) ?? new Set()
    graph.set(node, targets)
    for (const path of file.imports.filter(isOurs)) {
      const target = nodeOf({ path })
      if (target !== node || path === file.path) targets.add(target)
    }
  }
  return graph
}

/** Returns the nodes of one cycle, or an empty list. */
function findCycle(graph: Graph): readonly string[] {
  const done = new Set<string>()
  const visit = (node: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node]
    if (done.has(node)) return []
    for (const target of graph.get(node) ?? []) {
      const cycle = visit(target, [...trail, node])
      if (cycle.length > 0) return cycle
    }
    done.add(node)
    return []
  }
  for (const node of graph.keys()) {
    const cycle = visit(node, [])
    if (cycle.length > 0) return cycle
  }
  return []
}
