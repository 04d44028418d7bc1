import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../../support/pages.ts'
import { until } from '../../support/until.ts'
import { killScripts, type RunningScript, startScript } from './project.ts'
import { sharedRegistry } from './registry.ts'

const QUIRE_VERDACCIO = process.env['QUIRE_VERDACCIO'] ?? ''
const JOB_MS = 150_000
const NIGHTLY = "'0 3 * * *'"
const SECRET = 'a secret of this test, thirty-two and more'

interface Step {
  /** `bash`, or the language of a file. */
  readonly language: string
  /** Null for commands. */
  readonly file: string | null
  readonly text: string
}

/** The fenced blocks of the page. The text before a file names it. */
function stepsOf(page: string): readonly Step[] {
  const parts = page.split(/^```/m)
  return parts.flatMap((part, index): Step[] => {
    if (index % 2 === 0) return []
    const [, language = '', text = ''] = /^(\w+)\n([\s\S]*)$/.exec(part) ?? []
    const named = [...(parts[index - 1] ?? '').matchAll(/`([\w./-]+\.(?:json|m?[jt]s))`/g)]
    const file = language === 'bash' ? null : (named.at(-1)?.[1] ?? null)
    return [{ language, file, text }]
  })
}

describe('docs/getting-started.md', function () {
  this.timeout(230_000)
  let cwd = ''
  let env: Readonly<Record<string, string | undefined>> = {}
  let dev: RunningScript | null = null
  let id = ''
  let token = ''
  const outputs: string[] = []
  before(async function () {
    if (QUIRE_VERDACCIO === '') return this.skip()
    const registry = await sharedRegistry(QUIRE_VERDACCIO)
    cwd = join(registry.folder, 'shops')
    mkdirSync(cwd)
    env = { ...registry.env, HOST: '127.0.0.1', PORT: '0', QUIRE_DATABASE: 'embedded' }
  })
  after(killScripts)

  /** Runs the lines of a block. The addresses of the page stand for those of the test. */
  function runLines(text: string): string {
    const { status, stdout, stderr } = spawnSync('bash', ['-ec', text], {
      cwd,
      encoding: 'utf8',
      env: { ...env, ID: id, TOKEN: token },
    })
    expect(status, `${text}\n${stdout}${stderr}`).to.equal(0)
    const folder = /^cd (\S+)$/m.exec(text)?.[1]
    if (folder !== undefined) cwd = join(cwd, folder)
    return stdout
  }

  async function runStep({ language, file, text }: Step): Promise<void> {
    if (language !== 'bash') {
      expect(file, text).to.not.equal(null)
      const target = join(cwd, file ?? '')
      mkdirSync(dirname(target), { recursive: true })
      // The nightly job runs every minute here.
      writeFileSync(target, text.replace(NIGHTLY, "'* * * * *'"))
    } else if (text === 'npm run dev\n') {
      dev = await startScript(['npm', 'run', 'dev'], cwd, env)
    } else if (text.includes('npm start')) await deploy(text)
    else {
      const local = dev === null ? text : text.replaceAll('http://localhost:1337', dev.address)
      const output = runLines(local)
      outputs.push(output)
      id = /^\{"documentId":"(\w+)"\}/.exec(output)?.[1] ?? id
      token = /shown only now:\n(\S+)/.exec(output)?.[1] ?? token
    }
  }

  /** The production lines of the page, on the embedded engine: there is no replica set here. */
  async function deploy(text: string): Promise<void> {
    await seeJob()
    await dev?.stop()
    const lines = text.trimEnd().split('\n')
    const start = lines.pop() ?? ''
    expect(start).to.match(/^NODE_ENV=production MONGODB_URI=\S+ JWT_SECRET=.* npm start$/)
    runLines(lines.join('\n'))
    const server = await startScript(['npm', 'start'], cwd, production())
    const { data } = await listProducts(server)
    expect(data).to.have.length(16)
    await server.stop()
  }

  const production = (): typeof env => ({ ...env, NODE_ENV: 'production', JWT_SECRET: SECRET })

  async function listProducts(
    server: RunningScript,
  ): Promise<{ readonly data: readonly unknown[] }> {
    const response = await fetch(`${server.address}/api/products`)
    return (await response.json()) as { readonly data: readonly unknown[] }
  }

  async function seeJob(): Promise<void> {
    const output = (): string => dev?.output() ?? ''
    await until(() => output().includes('Unpublished 4 products'), JOB_MS, output)
  }

  it('works line by line', async () => {
    const steps = stepsOf(readFileSync(join(ROOT, 'docs/getting-started.md'), 'utf8'))
    expect(steps.length).to.be.above(15)
    for (const step of steps) await runStep(step)
    const all = outputs.join('\n')
    expect(all).to.match(/"documentId":"\w+"\}\{"data":\[\]/) // a draft, which the public does not see
    expect(all, all.slice(-3_000)).to.include('It turns well.')
    expect(existsSync(join(cwd, 'content/img/20.png'))).to.equal(true)
  })

  it('deploys by the steps of the generated Dockerfile', async () => {
    const image = join(dirname(cwd), 'image')
    const ignored = readFileSync(join(cwd, '.dockerignore'), 'utf8').trim().split('\n')
    cpSync(cwd, image, {
      recursive: true,
      filter: (path) => !ignored.includes(path.slice(cwd.length + 1).split('/')[0] ?? ''),
    })
    expect(existsSync(join(image, 'node_modules'))).to.equal(false)
    const docker = readFileSync(join(cwd, 'Dockerfile'), 'utf8')
    expect(docker).to.match(/^USER node$/m)
    const [, settings = ''] = /^ENV (.*)$/m.exec(docker) ?? []
    const variables = Object.fromEntries(settings.split(' ').map((pair) => pair.split('=')))
    const inImage = { ...production(), ...variables, HOST: '127.0.0.1', PORT: '0' }
    for (const [, line = ''] of docker.matchAll(/^RUN (.*)$/gm)) {
      if (line.includes('chown')) continue // there is no user node here
      const { status, stderr } = spawnSync('sh', ['-c', line], {
        cwd: image,
        env: inImage,
        encoding: 'utf8',
      })
      expect(status, stderr).to.equal(0)
    }
    const commandOf = (name: string): readonly [string, ...string[]] =>
      JSON.parse(new RegExp(`^${name} (?:CMD )?(\\[.*\\])$`, 'm').exec(docker)?.[1] ?? '[]') as [
        string,
      ]
    const server = await startScript(commandOf('CMD'), image, inImage)
    const [program, ...args] = commandOf('HEALTHCHECK')
    const port = new URL(server.address).port
    expect(spawnSync(program, args, { env: { ...inImage, PORT: port } }).status).to.equal(0)
    await server.stop()
  })
})
