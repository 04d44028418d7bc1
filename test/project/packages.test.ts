import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { expect } from 'chai'
import { PAGES, readPage, ROOT } from '../support/pages.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
  readonly main: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly files: readonly string[]
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

interface Published {
  readonly folder: string
  readonly manifest: Manifest
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

const packages: readonly Published[] = [
  ROOT,
  ...readdirSync(join(ROOT, 'packages')).map((name) => join(ROOT, 'packages', name)),
]
  .map((folder) => ({ folder, manifest: readManifest(folder) }))
  .filter(({ manifest }) => manifest.private !== true)
const server = readManifest(ROOT)
const [scope = ''] = server.name.split('/')

describe('the published packages', () => {
  it('are the server and its siblings, in the scope of the server', () => {
    const names = packages.map(({ manifest }) => manifest.name).sort()
    expect(names).to.deep.equal(
      ['client', 'create', 'engine', 'merge', 'migrate', 'native-clients', 'schema', 'server'].map(
        (name) => `${scope}/${name}`,
      ),
    )
  })

  it('have one version, and name it where they depend on each other', () => {
    for (const { manifest } of packages) {
      expect(manifest.version, manifest.name).to.equal(server.version)
      for (const [name, wanted] of Object.entries(manifest.dependencies ?? {})) {
        if (!name.startsWith(`${scope}/`)) continue
        expect(wanted, `${manifest.name}: ${name}`).to.equal(server.version)
        const sibling = packages.some((one) => one.manifest.name === name)
        expect(sibling, `${manifest.name}: ${name}`).to.equal(true)
      }
    }
  })

  it('build before they are packed, and bring a license', () => {
    for (const { folder, manifest } of packages) {
      expect(manifest.scripts['prepack'], manifest.name).to.equal('npm run -s build')
      expect(existsSync(join(folder, 'LICENSE')), manifest.name).to.equal(true)
      expect(existsSync(join(folder, 'README.md')), manifest.name).to.equal(true)
    }
  })

  it('export files that they contain, types first', () => {
    for (const { folder, manifest } of packages) {
      for (const [name, target] of Object.entries(manifest.exports)) {
        if (typeof target === 'string') continue
        expect(Object.keys(target), `${manifest.name} ${name}`).to.deep.equal(['types', 'default'])
        for (const file of Object.values(target).filter((one) => !one.includes('*'))) {
          expect(existsSync(join(folder, file)), `${manifest.name} ${file}`).to.equal(true)
        }
      }
      expect(existsSync(join(folder, manifest.main)), `${manifest.name} main`).to.equal(true)
    }
  })

  it('depend on every package that their files import, types included', () => {
    for (const { folder, manifest } of packages) {
      const known = new Set([manifest.name, ...Object.keys(manifest.dependencies ?? {})])
      const missing = filesIn(join(folder, 'dist/src'))
        .filter((file) => file.endsWith('.js'))
        .flatMap((file) => importsOf(file).map((name) => ({ file, name })))
        .filter(({ name }) => !known.has(name))
        .map(({ file, name }) => `${relative(folder, file)} imports ${name}`)
      expect(missing, manifest.name).to.deep.equal([])
    }
  })

  it('let a project compile against the entry without further types', () => {
    const types = server.exports['.']
    const entry = typeof types === 'object' ? (types['types'] ?? '') : ''
    const { files, packages } = typesOf(join(ROOT, entry))
    const untyped = [...packages].filter(
      (name) =>
        !Object.hasOwn(server.dependencies ?? {}, packageNames([name])[0] ?? '') ||
        existsSync(join(ROOT, 'node_modules/@types', name)),
    )
    expect(untyped).to.deep.equal([])
    const folders = server.files.map((pattern) => pattern.replace('**/*.d.ts', ''))
    const missing = [...files]
      .map((file) => relative(ROOT, file))
      .filter((file) => !folders.some((folder) => file.startsWith(folder)))
    expect(missing).to.deep.equal([])
  })

  it('are named with their scope on every page', () => {
    const wrong = PAGES.filter((page) => !page.startsWith('docs/decisions/')).flatMap((page) =>
      [...readPage(page).matchAll(/npm (?:install|create) (?:-\S+ )*(?!-)(\S+)|npx (@\S+)/g)]
        .map(([line, installed = '', run = '']) => ({ line, name: installed + run }))
        .filter(({ name }) => /quire/.test(name) && !name.startsWith(scope))
        .map(({ line }) => `${page}: ${line}`),
    )
    expect(wrong).to.deep.equal([])
  })
})

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(folder, name),
  )
}

/** Swagger UI is copied by the build, see decision 0134. */
const COPIED = 'swagger-ui-dist'

/** Returns the packages that a compiled module imports, resolves or requires. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
    .replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
    .replaceAll(/`[^`]*`/g, '') // the code that `quire client` writes
  const found = text.matchAll(
    /(?:\bfrom |\bimport |\bimport\(|\.resolve\(|\bcreateRequire\(import\.meta\.url\)\()'([^'\n]+)'/g,
  )
  return packageNames([...found].map(([, name = '']) => name)).filter((name) => name !== COPIED)
}

function packageNames(specifiers: readonly string[]): readonly string[] {
  const packages = specifiers
    .filter((name) => /^(?:@[\w.-]+\/)?[\w.-]+(?:\/|$)/.test(name) && !isBuiltin(name))
    .filter((name) => !name.startsWith('.'))
  return [...new Set(packages.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name))]
}

/** Returns the declaration files that a project needs, and the packages that they import. */
function typesOf(entry: string): {
  readonly files: ReadonlySet<string>
  readonly packages: ReadonlySet<string>
} {
  const files = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    const text = readFileSync(file, 'utf8')
    for (const [, name = ''] of text.matchAll(/(?:\bfrom |\bimport\(|^import )'([^'\n]+)'/gm)) {
      if (name.startsWith('.')) visit(join(dirname(file), name.replace(/\.ts$/, '.d.ts')))
      else if (!isBuiltin(name)) packages.add(name)
    }
  }
  visit(entry)
  return { files, packages }
}
