import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { until } from '../../support/until.ts'

const QUIRE = fileURLToPath(new URL('../../../src/cli/quire.js', import.meta.url))
const MAX_WAIT_MS = 60_000
const STOP_MS = 10_000

describe('quire dev and quire start', function () {
  this.timeout(2 * MAX_WAIT_MS)
  let folder = ''
  let child: ChildProcess | null = null
  let output = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-dev-'))
    mkdirSync(join(folder, 'content-types'))
    declare('note')
    output = ''
  })
  afterEach(() => {
    if (child?.exitCode === null && child.pid !== undefined) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  function declare(name: string): void {
    const info = { singularName: name, pluralName: `${name}s`, displayName: name }
    const file = { info, attributes: { title: { type: 'string' } } }
    writeFileSync(join(folder, 'content-types', `${name}.json`), JSON.stringify(file))
  }

  function run(...args: readonly string[]): ChildProcess {
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, HOST: '127.0.0.1', PORT: '0', QUIRE_DATABASE: 'embedded' }
    const started = spawn(process.execPath, [QUIRE, ...args], { cwd: folder, env, stdio: 'pipe' })
    const add = (chunk: Buffer): void => {
      output += chunk.toString()
    }
    started.stdout.on('data', add)
    started.stderr.on('data', add)
    child = started
    return started
  }

  const addresses = (): readonly string[] =>
    [...output.matchAll(/Quire listens on (http:\/\/[\d.:]+)/g)].map(([, address = '']) => address)
  const started = async (times = 1): Promise<string> => {
    await until(
      () => addresses().length >= times,
      MAX_WAIT_MS,
      () => output,
    )
    return addresses().at(-1) ?? ''
  }

  async function stop(process: ChildProcess, address: string): Promise<void> {
    const began = performance.now()
    const exit = once(process, 'exit')
    process.kill('SIGTERM')
    expect(await exit, output).to.deep.equal([0, null])
    expect(performance.now() - began).to.be.below(STOP_MS)
    expect(output)
      .to.match(/SIGTERM: stopping/)
      .and.match(/Stopped after/)
    const isRefused = await fetch(address).then(
      () => false,
      () => true,
    )
    expect(isRefused).to.equal(true)
  }

  it('stop on SIGTERM: quire start ends, its port is free, and the log says so', async () => {
    const server = run('start')
    const address = await started()
    expect((await fetch(`${address}/_health`)).status).to.equal(204)
    await stop(server, address)
  })

  it('stop on SIGTERM: quire dev ends with its server', async () => {
    const dev = run('dev')
    await stop(dev, await started())
    expect(output).to.include('quire dev: stopped')
  })

  it('restarts after a change of a declaration, and serves it', async () => {
    const dev = run('dev')
    await started()
    declare('page')
    const address = await started(2)
    expect((await fetch(`${address}/api/pages`)).status).to.equal(403)
    await stop(dev, address)
  })

  it('waits for a correction after a faulty declaration', async () => {
    const dev = run('dev')
    await started()
    writeFileSync(join(folder, 'content-types', 'page.json'), '{ "attributes": 1 }')
    await until(
      () => output.includes('waits for a change'),
      MAX_WAIT_MS,
      () => output,
    )
    declare('page')
    await stop(dev, await started(2))
  })

  it('loads quire.config.ts of the folder in development, and the built file at a start', async () => {
    writeFileSync(
      join(folder, 'quire.config.ts'),
      "export default { logLevel: 'info' as string }\n",
    )
    const refused = run('start')
    expect(await once(refused, 'exit')).to.deep.equal([1, null])
    expect(output).to.include('npx quire build')
    output = ''
    expect(await once(run('build'), 'exit')).to.deep.equal([0, null])
    const server = run('start')
    await stop(server, await started())
  })

  it('keeps the types of a TypeScript project current', async () => {
    writeFileSync(join(folder, 'quire.config.ts'), 'export default {}\n')
    writeFileSync(join(folder, 'quire-types.d.ts'), '')
    const dev = run('dev')
    await started()
    const types = (): string => readFileSync(join(folder, 'quire-types.d.ts'), 'utf8')
    expect(types()).to.include('api::note.note').and.not.include('api::page.page')
    declare('page')
    const address = await started(2)
    expect(types()).to.include('api::page.page')
    await stop(dev, address)
  })

  it('refuses options, and shows the help of a server command', async () => {
    expect(await once(run('start', '--port'), 'exit')).to.deep.equal([2, null])
    output = ''
    expect(await once(run('dev', '--help'), 'exit')).to.deep.equal([0, null])
    expect(output).to.include('restart it after each change')
  })
})
