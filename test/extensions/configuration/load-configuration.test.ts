import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../../src/base/config/config.ts'
import { ConfigError } from '../../../src/base/errors.ts'
import { buildConfiguration } from '../../../src/extensions/configuration/build-configuration.ts'
import {
  type Configuration,
  loadConfiguration,
} from '../../../src/extensions/configuration/load-configuration.ts'

const PACKAGE = `export function defineConfig(config) { return config }`

/** A folder with files, and a package that only it can resolve. */
function project(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-config-'))
  const all = {
    'package.json': '{ "type": "module" }',
    'node_modules/stub/package.json': '{ "type": "module", "exports": "./index.js" }',
    'node_modules/stub/index.js': PACKAGE,
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return folder
}

const TYPED = `import { defineConfig } from 'stub'
import { level, type Unused } from './src/level.ts'
enum Port { main = 8080 }
export default defineConfig({
  http: { port: Port.main },
  logLevel: level satisfies string,
})
`
const LEVEL = `export type Unused = string
export const level: string = 'warn'
`

async function faultsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await work()
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

const compiled = (folder: string): Promise<Configuration> =>
  loadConfiguration(folder, { compile: true })
const built = (folder: string): Promise<Configuration> =>
  loadConfiguration(folder, { compile: false })

describe('loadConfiguration', () => {
  it('returns an empty configuration without a file', async () => {
    for (const load of [compiled, built]) {
      const { file, settings, extensions } = await load(project({}))
      expect([file, settings.values, extensions]).to.deep.equal([null, {}, []])
    }
  })

  it('compiles TypeScript with its modules, and leaves no files', async () => {
    const folder = project({ 'quire.config.ts': TYPED, 'src/level.ts': LEVEL })
    const { file, settings } = await compiled(folder)
    expect(file).to.equal('quire.config.ts')
    expect(settings.values).to.deep.equal({ PORT: '8080', LOG_LEVEL: 'warn' })
    expect(readdirSync(path.join(folder, 'node_modules/.cache/quire'))).to.deep.equal([])
    expect(readdirSync(folder)).not.to.include('dist')
  })

  for (const [name, text] of [
    ['quire.config.js', `export default { logLevel: 'warn' }`],
    ['quire.config.mjs', `export default { logLevel: 'warn' }`],
  ] as const) {
    it(`loads ${name} without a build`, async () => {
      for (const load of [compiled, built]) {
        const { settings } = await load(project({ [name]: text }))
        expect(settings.values).to.deep.equal({ LOG_LEVEL: 'warn' })
      }
    })
  }

  it('loads a CommonJS file', async () => {
    const text = `module.exports = { logLevel: 'warn' }`
    const folder = project({ 'quire.config.js': text, 'package.json': '{}' })
    expect((await built(folder)).settings.values).to.deep.equal({ LOG_LEVEL: 'warn' })
  })

  it('refuses two configuration files', async () => {
    const folder = project({ 'quire.config.ts': TYPED, 'quire.config.js': '' })
    expect(await faultsOf(() => compiled(folder))).to.deep.equal([
      'quire.config.js: quire.config.ts exists as well; delete one of them',
    ])
  })

  it('names file, line and member of every fault at once', async () => {
    const text = `import { defineConfig } from 'stub'
export default defineConfig({
  http: {
    prot: 1,
  },
  mail: 3,
  extensions: {},
})
`
    expect(await faultsOf(() => compiled(project({ 'quire.config.ts': text })))).to.deep.equal([
      'quire.config.ts:4: http.prot: is not a member of the configuration; did you mean port?',
      'quire.config.ts:6: mail: must be an object',
      'quire.config.ts:7: extensions: must be a list of extensions',
    ])
  })

  it('names file and line of a value that its variable refuses', async () => {
    const text = `export default {\n  secrets: {\n    rootApiToken: 'a b',\n  },\n}\n`
    const { settings } = await compiled(project({ 'quire.config.ts': text }))
    const faults = await faultsOf(() => Promise.resolve().then(() => readConfig({}, settings)))
    expect(faults).to.deep.equal([
      'quire.config.ts:3: secrets.rootApiToken: what is given (not shown) is not a token without white space',
    ])
  })

  const broken: readonly [string, Record<string, string>, string][] = [
    [
      'an error of syntax',
      { 'quire.config.ts': 'export default {\n  a: ,\n}' },
      'quire.config.ts:2: Unexpected ","',
    ],
    [
      'a missing module',
      { 'quire.config.ts': `import './a.ts'\nexport default {}` },
      'quire.config.ts:1: Could not resolve "./a.ts"',
    ],
    [
      'an error that a module throws',
      {
        'quire.config.ts': `import './a.ts'\nexport default {}`,
        'a.ts': `type A = string\n\nthrow new Error('no key')`,
      },
      'a.ts:3: no key',
    ],
    [
      'an error that a function throws',
      {
        'quire.config.ts': `interface A {}\nfunction f(): A {\n  throw new Error('no key')\n}\nf()`,
      },
      'quire.config.ts:3: no key',
    ],
    [
      'a missing package',
      { 'quire.config.ts': `import 'absent'\nexport default {}` },
      `Cannot find package 'absent'`,
    ],
    [
      'no default export',
      { 'quire.config.ts': 'export const a = 1' },
      'quire.config.ts:1: its default export must be defineConfig({ … })',
    ],
    [
      'an error of syntax in JavaScript',
      { 'quire.config.mjs': 'export default {\n  a: ,\n}' },
      'quire.config.mjs:2: Unexpected ","',
    ],
    ['a thrown text', { 'quire.config.mjs': `throw 'no key'` }, 'quire.config.mjs: threw no key'],
  ]
  for (const [label, files, fault] of broken) {
    it(`reports ${label}`, async () => {
      const faults = await faultsOf(() => compiled(project(files)))
      expect(faults).to.have.length(1)
      expect(faults[0]).to.include(fault)
    })
  }

  it('reports errors of the built file by the lines of the sources', async () => {
    const folder = project({
      'quire.config.ts': `import './a.ts'\nexport default {}`,
      'a.ts': `type A = string\n\nif (Date.now() > 0) throw new Error('no key')`,
    })
    await buildConfiguration(folder)
    expect(await faultsOf(() => built(folder))).to.deep.equal(['a.ts:3: no key'])
  })
})

describe('buildConfiguration', () => {
  const sources = { 'quire.config.ts': TYPED, 'src/level.ts': LEVEL }

  it('writes a file that loads without the sources', async () => {
    const folder = project(sources)
    expect(await buildConfiguration(folder)).to.deep.equal({ file: 'dist/quire.config.mjs' })
    for (const name of ['src', 'quire.config.ts'])
      rmSync(path.join(folder, name), { recursive: true })
    const { file, settings } = await built(folder)
    expect(file).to.equal('dist/quire.config.mjs')
    expect(settings.values).to.deep.equal({ PORT: '8080', LOG_LEVEL: 'warn' })
  })

  it('does nothing without TypeScript', async () => {
    const folder = project({ 'quire.config.js': 'export default {}' })
    expect(await buildConfiguration(folder)).to.deep.equal({ file: null })
    expect(readdirSync(folder)).not.to.include('dist')
  })

  it('is required before the built file can be loaded', async () => {
    expect(await faultsOf(() => built(project(sources)))).to.deep.equal([
      'quire.config.ts: it has not been built: dist/quire.config.mjs does not exist; run `npx quire build`',
    ])
  })

  const changes: readonly [string, (folder: string) => void, string][] = [
    [
      'a module changes',
      (folder) => writeFileSync(path.join(folder, 'src/level.ts'), `${LEVEL}\n`),
      'src/level.ts: it has changed since the last build',
    ],
    [
      'a module is deleted',
      (folder) => rmSync(path.join(folder, 'src/level.ts')),
      'src/level.ts: it has changed since the last build',
    ],
    [
      'the configuration changes',
      (folder) => writeFileSync(path.join(folder, 'quire.config.ts'), `${TYPED} `),
      'quire.config.ts: it has changed since the last build',
    ],
    [
      'another program wrote the file',
      (folder) => writeFileSync(path.join(folder, 'dist/quire.config.mjs'), 'export default {}'),
      'dist/quire.config.mjs: it was not written by quire build',
    ],
  ]
  for (const [label, change, fault] of changes) {
    it(`must run again if ${label}`, async () => {
      const folder = project(sources)
      await buildConfiguration(folder)
      await built(folder)
      change(folder)
      expect(await faultsOf(() => built(folder))).to.deep.equal([
        `${fault}; run \`npx quire build\``,
      ])
    })
  }

  it('finds the packages of a linked folder', async () => {
    const folder = project(sources)
    const link = path.join(tmpdir(), `quire-link-${path.basename(folder)}`)
    symlinkSync(folder, link)
    expect((await compiled(link)).file).to.equal('quire.config.ts')
  })
})
