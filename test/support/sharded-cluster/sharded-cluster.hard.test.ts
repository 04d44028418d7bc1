import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { isAlive } from '../is-alive.ts'
import { until } from '../until.ts'

const SCRIPT = fileURLToPath(new URL('sharded-cluster.js', import.meta.url))
const STAND_IN = fileURLToPath(
  new URL('../../../../test/support/sharded-cluster/stand-in.mjs', import.meta.url),
)
/**
 * Records its environment and exits with 3. With the argument `wait` it runs until it is stopped.
 */
const SUITE = `
  const line = { name: 'suite', pid: process.pid, what: 'run', detail: [process.env.MONGODB_URI, process.env.QUIRE_TEST_SHARD] }
  require('node:fs').appendFileSync(process.env.STAND_IN_JOURNAL, JSON.stringify(line) + '\\n')
  if (process.argv[1] === 'wait') setInterval(() => undefined, 1_000)
  else process.exitCode = 3
`

interface Noted {
  readonly name: string
  readonly pid: number
  readonly what: string
  readonly detail: unknown
}

interface Ended {
  readonly status: number | null
  readonly said: string
}

describe('npm run test:sharded', function () {
  let dir: string

  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'quire-test-sharded-'))
    mkdirSync(path.join(dir, 'bin'))
    mkdirSync(path.join(dir, 'tmp'))
  })
  afterEach(() => {
    for (const { pid } of journal()) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  })

  const install = (...names: readonly string[]): void => {
    chmodSync(STAND_IN, 0o755)
    for (const name of names) symlinkSync(STAND_IN, path.join(dir, 'bin', name))
  }
  const journal = (): readonly Noted[] => {
    const file = path.join(dir, 'journal')
    if (!existsSync(file)) return []
    return readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const start = (env: Record<string, string> = {}, ...args: readonly string[]) => {
    const child = spawn(process.execPath, [SCRIPT, process.execPath, '-e', SUITE, ...args], {
      env: {
        PATH: path.dirname(process.execPath),
        MONGODB_BIN: path.join(dir, 'bin'),
        STAND_IN_JOURNAL: path.join(dir, 'journal'),
        TMPDIR: path.join(dir, 'tmp'),
        ...env,
      },
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    return { child, ended: endOf(child) }
  }
  const endOf = async (child: ChildProcess): Promise<Ended> => {
    const chunks: Buffer[] = []
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
    const [status] = (await once(child, 'close')) as [number | null]
    return { status, said: Buffer.concat(chunks).toString() }
  }
  const expectNothingLeft = (): void => {
    expect(journal().filter(({ pid }) => isAlive(pid))).to.deep.equal([])
    expect(readdirSync(path.join(dir, 'tmp'))).to.deep.equal([])
  }
  const stepsOf = (what: string): readonly string[] =>
    journal()
      .filter((noted) => noted.what === what)
      .map(({ name }) => name)

  it('starts config server, shards and mongos, and stops them in reverse order', async () => {
    install('mongod', 'mongos')
    const { status, said } = await start().ended
    expect(status, said).to.equal(3)
    const noted = journal().map(({ name, what }) => `${name} ${what}`)
    expect(noted).to.deep.equal([
      'config start',
      'config replSetInitiate',
      'shard1 start',
      'shard1 replSetInitiate',
      'shard2 start',
      'shard2 replSetInitiate',
      'mongos start',
      'mongos addShard',
      'mongos addShard',
      'mongos balancerStop',
      'suite run',
      'mongos end',
      'shard2 end',
      'shard1 end',
      'config end',
    ])
    expectNothingLeft()
  })

  it('passes the arguments of each server, on loopback, and the address of the mongos', async () => {
    install('mongod', 'mongos')
    await start().ended
    const [config, shard1, shard2, mongos] = journal().filter(({ what }) => what === 'start')
    const argsOf = (noted: Noted | undefined) => (noted?.detail ?? []) as readonly string[]
    const after = (noted: Noted | undefined, name: string) =>
      argsOf(noted)[argsOf(noted).indexOf(name) + 1] ?? ''
    const addressOf = (noted: Noted | undefined) => `127.0.0.1:${after(noted, '--port')}`
    expect(argsOf(config)).to.include('--configsvr')
    for (const shard of [shard1, shard2]) expect(argsOf(shard)).to.include('--shardsvr')
    for (const each of [config, shard1, shard2, mongos]) {
      expect(after(each, '--bind_ip')).to.equal('127.0.0.1')
    }
    const folders = [config, shard1, shard2].map((each) => after(each, '--dbpath'))
    expect(new Set(folders).size).to.equal(3)
    for (const folder of folders) expect(folder).to.include(path.join(dir, 'tmp'))
    expect(after(mongos, '--configdb')).to.equal(`config/${addressOf(config)}`)
    const shards = journal().filter(({ what }) => what === 'addShard')
    expect(shards.map(({ detail }) => detail)).to.deep.equal([
      `shard1/${addressOf(shard1)}`,
      `shard2/${addressOf(shard2)}`,
    ])
    const initiated = journal().filter(({ what }) => what === 'replSetInitiate')
    expect(
      initiated.map(({ detail }) => (detail as { configsvr?: boolean }).configsvr),
    ).to.deep.equal([true, undefined, undefined])
    const suite = journal().find(({ name }) => name === 'suite')
    expect(suite?.detail).to.deep.equal([`mongodb://${addressOf(mongos)}/`, 'on'])
  })

  it('reports missing binaries and exits with 75', async () => {
    install('mongod')
    const { status, said } = await start().ended
    expect([status, said]).to.deep.equal([
      75,
      `There is no mongos in ${path.join(dir, 'bin')}: nothing was run.\n`,
    ])
    const none = await start({ MONGODB_BIN: '', PATH: path.join(dir, 'tmp') }).ended
    expect([none.status, none.said]).to.deep.equal([
      75,
      'There is no mongod and no mongos on the PATH, nor is MONGODB_BIN set: nothing was run.\n',
    ])
    expectNothingLeft()
  })

  for (const fault of ['config', 'shard2', 'mongos']) {
    it(`stops all servers if ${fault} does not start`, async () => {
      install('mongod', 'mongos')
      const { status, said } = await start({ STAND_IN_FAULT: `${fault}:exit` }).ended
      expect(status).to.equal(1)
      expect(said).to.include(`sharded-cluster: ${fault} ended: ${fault}: told to fail\n`)
      expect(stepsOf('run')).to.deep.equal([])
      const ended = stepsOf('start').filter((name) => name !== fault)
      expect(stepsOf('end')).to.deep.equal(ended.toReversed())
      expectNothingLeft()
    })
  }

  for (const [when, fault, reached] of [
    ['while it waits for a primary', 'shard1:hang', 'shard1'],
    ['while the suite runs', '', 'suite'],
  ] as const) {
    it(`stops all servers if it is interrupted ${when}`, async () => {
      install('mongod', 'mongos')
      const { child, ended } = start({ STAND_IN_FAULT: fault }, 'wait')
      const isReached = (): boolean =>
        journal().some(({ name, what }) => name === reached && what !== 'start')
      await until(isReached, 30_000)
      child.kill('SIGTERM')
      expect((await ended).status).to.equal(1)
      expect(stepsOf('end')).to.deep.equal(stepsOf('start').toReversed())
      expectNothingLeft()
    })
  }

  it('kills servers that do not stop', async () => {
    install('mongod', 'mongos')
    expect((await start({ STAND_IN_FAULT: 'shard1:deaf' }).ended).status).to.equal(3)
    expect(stepsOf('end')).to.deep.equal(['mongos', 'shard2', 'config'])
    expectNothingLeft()
  })
})
