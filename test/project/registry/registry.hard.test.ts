import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../../support/pages.ts'
import { killScripts, sizeOf, startScript } from './project.ts'
import { npm, sharedRegistry } from './registry.ts'

const TOKEN = 'a-token-of-this-test'
const FIRST_RESPONSE_MS = 60_000
const MAX_MODULES_MB = 170

/** The stage `packages` of CI names the program of verdaccio, and the newest Node if there is one. */
const QUIRE_VERDACCIO = process.env['QUIRE_VERDACCIO'] ?? ''
const QUIRE_NEWEST_NODE = process.env['QUIRE_NEWEST_NODE'] ?? ''

type Environment = Readonly<Record<string, string | undefined>>

describe('the packages from a registry', function () {
  this.timeout(240_000)
  let folder = ''
  let env: Environment = {}
  before(async function () {
    if (QUIRE_VERDACCIO === '') return this.skip()
    const registry = await sharedRegistry(QUIRE_VERDACCIO)
    ;({ folder } = registry)
    expect(registry.packed).to.have.length(8)
    env = { ...registry.env, HOST: '127.0.0.1', PORT: '0', ROOT_API_TOKEN: TOKEN }
    mkdirSync(join(folder, 'work'))
  })
  afterEach(killScripts)

  const project = (): string => join(folder, 'work/my-cms')
  const embedded = (): Environment => ({ ...env, QUIRE_DATABASE: 'embedded' })
  /** Production, with another Node if one is given. */
  const production = (node: string): Environment => ({
    ...embedded(),
    ...(node === '' ? {} : { PATH: `${dirname(node)}:${process.env['PATH']}` }),
    NODE_ENV: 'production',
    JWT_SECRET: 'a secret of this test, thirty-two and more',
  })

  async function send(address: string, path: string, body?: unknown): Promise<Response> {
    return fetch(address + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  it('create a project that answers within a minute', async () => {
    const began = performance.now()
    npm(['create', '@quire', 'my-cms', '--', '--yes'], join(folder, 'work'), env)
    const created = performance.now()
    const dev = await startScript(['npm', 'run', 'dev'], project(), embedded())
    const response = await send(dev.address, '/api/articles', {
      data: { title: 'Maps of the coast', body: 'Here.' },
    })
    const took = performance.now() - began
    expect(response.status, dev.output()).to.equal(201)
    expect(took).to.be.below(FIRST_RESPONSE_MS)
    process.stdout.write(
      `      created in ${seconds(created - began)}, answered after ${seconds(took)}\n`,
    )
    const studio = await fetch(`${dev.address}/studio`)
    expect([studio.status, await studio.text()][0]).to.equal(200)
    const docs = await fetch(`${dev.address}/api/docs/swagger-ui-bundle.js`)
    expect([docs.status, (await docs.text()).length > 100_000]).to.deep.equal([200, true])
    await dev.stop()
  })

  it('install few megabytes', () => {
    const size = sizeOf(join(project(), 'node_modules'))
    process.stdout.write(`      node_modules: ${size.toFixed(0)} MB\n`)
    expect(size).to.be.at.most(MAX_MODULES_MB)
  })

  it('seed documents and pictures, and change nothing when they seed again', () => {
    expect(npm(['run', 'seed'], project(), embedded())).to.match(/Database: .*\/quire/)
    const again = npm(['run', '-s', 'seed', '--', '--json'], project(), embedded())
    const { files } = JSON.parse(again.slice(again.indexOf('{'), again.lastIndexOf('}') + 1)) as {
      readonly files: Readonly<Record<string, Readonly<Record<string, number>>>>
    }
    const { created, updated, unchanged } = files['article.json'] ?? {}
    expect({ created, updated, unchanged }).to.deep.equal({ created: 0, updated: 0, unchanged: 3 })
  })

  for (const [name, node] of [
    ['this Node', ''],
    ['the newest Node', QUIRE_NEWEST_NODE],
  ] as const) {
    it(`build, start in production and stop on ${name}`, async function () {
      if (name !== 'this Node' && node === '') return this.skip()
      npm(['run', 'build'], project(), production(node))
      const server = await startScript(['npm', 'start'], project(), production(node))
      const response = await send(server.address, '/api/articles?populate=cover&sort=title')
      const { data } = (await response.json()) as {
        readonly data: readonly { readonly cover: { readonly url: string } | null }[]
      }
      expect(data).to.have.length(3)
      const url = data.find(({ cover }) => cover !== null)?.cover?.url ?? ''
      expect((await fetch(server.address + url)).headers.get('content-type')).to.equal('image/png')
      await server.stop()
    })

    it(`run the test of the project on ${name}`, function () {
      if (name !== 'this Node' && node === '') return this.skip()
      const { NODE_ENV: _, ...others } = production(node)
      expect(npm(['test'], project(), others)).to.match(/[#ℹ] pass 1\n[\s\S]*[#ℹ] fail 0\n/)
    })
  }

  it('compile with the types of the packages, and with all examples', async () => {
    const file = join(project(), 'extensions/project.ts')
    const text = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      text.replaceAll(/^( *)\/\/ ( *(?:\S.*)?)$/gm, uncomment).replaceAll(/^ *\/\/$/gm, ''),
    )
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project()], {
      encoding: 'utf8',
    })
    expect(status, stdout).to.equal(0)
    const dev = await startScript(['npm', 'run', 'dev'], project(), embedded())
    const hello = await fetch(`${dev.address}/api/hello`)
    expect(await hello.json()).to.deep.equal({ hello: 'world' })
    await dev.stop()
  })

  it('create a JavaScript project without content, which passes its test', () => {
    const args = ['--yes', '--empty', '--javascript', '--no-install']
    npm(['create', '@quire', 'plain', '--', ...args], join(folder, 'work'), env)
    const plain = join(folder, 'work/plain')
    symlinkSync(join(project(), 'node_modules'), join(plain, 'node_modules'))
    expect(npm(['test'], plain, embedded())).to.match(/[#ℹ] pass 1\n/)
  })

  it('work alone: the client with both ways to resolve it, and the engine', () => {
    const alone = join(folder, 'work/alone')
    mkdirSync(alone)
    writeFileSync(join(alone, 'package.json'), '{ "type": "module" }')
    npm(['install', '--ignore-scripts', '@quire/client', '@quire/engine'], alone, env)
    writeFileSync(
      join(alone, 'run.js'),
      `import { createRequire } from 'node:module'
import { startEmbedded } from '@quire/engine'
import { createClient } from '@quire/client'
import { createStore } from '@quire/client/sync'
const engine = await startEmbedded({ directory: 'data' })
await engine.close()
const { main } = createRequire(import.meta.url)('./node_modules/@quire/client/sync/package.json')
const { createStore: byFolder } = await import('./node_modules/@quire/client/sync/' + main)
console.log(typeof createClient, byFolder === createStore)
`,
    )
    const { stdout, stderr } = spawnSync(process.execPath, ['run.js'], {
      cwd: alone,
      encoding: 'utf8',
    })
    expect(stdout, stderr).to.equal('function true\n')
  })
})

/** Keeps sentences as comments: they begin with a capital letter. */
function uncomment(line: string, indent: string, code: string): string {
  return /^ *[A-Z]/.test(code) ? line : indent + code
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
