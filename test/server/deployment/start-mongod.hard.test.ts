import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { MongoClient, MongoServerError } from 'mongodb'
import type { Collection } from 'mongodb'
import { isAlive } from '../../support/is-alive.ts'
import { until } from '../../support/until.ts'

const STAND_IN = fileURLToPath(
  new URL('../../../../test/server/deployment/stand-in-mongod.mjs', import.meta.url),
)
const CHILD = fileURLToPath(new URL('start-in-child.js', import.meta.url))
const MAX_WAIT_MS = 30_000
const LIMITS = {
  launchMs: 30_000,
  recoveryMs: 30_000,
  primaryMs: 30_000,
  shareMs: 30_000,
  download: { probeMs: 500, stallMs: 1500, totalMs: 20_000 },
}

interface Outcome {
  readonly uri?: string
  readonly what?: string
  readonly unavailable?: string
  readonly ms: number
}

describe('startMongod', () => {
  let dir: string
  let children: ChildProcess[]
  let servers: Server[]

  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'quire-mongod-')))
    children = []
    servers = []
  })

  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL')
    for (const server of servers) server.close()
    const pid = mongodPid()
    if (pid !== null && isAlive(pid)) process.kill(pid, 'SIGKILL')
    const isOver = (child: ChildProcess): boolean =>
      child.exitCode !== null || child.signalCode !== null
    await until(() => children.every(isOver), MAX_WAIT_MS)
    rmSync(dir, { recursive: true, maxRetries: 5 })
  })

  const data = (): string => join(dir, 'mongod')

  interface Started {
    readonly outcome: Outcome
    readonly lines: readonly string[]
    readonly child: ChildProcess
    readonly close: () => Promise<void>
  }

  async function start(env: Record<string, string> = {}, limits: object = {}): Promise<Started> {
    const child = spawn(
      process.execPath,
      [CHILD, data(), JSON.stringify({ ...LIMITS, ...limits })],
      {
        env: {
          HOME: dir,
          PATH: process.env['PATH'],
          MONGOMS_SYSTEM_BINARY: STAND_IN,
          STAND_IN_UPSTREAM: process.env['STAND_IN_UPSTREAM'],
          ...env,
        },
        stdio: ['pipe', 'pipe', 'inherit'],
        cwd: dir,
      },
    )
    children.push(child)
    const lines: string[] = []
    const reader = createInterface({ input: child.stdout })
    reader.on('line', (line) => lines.push(line))
    const hasResult = (): boolean => lines.some((line) => line.startsWith('result '))
    await until(
      () => hasResult() || child.exitCode !== null,
      MAX_WAIT_MS,
      () => lines.join(' | '),
    )
    const result = lines.find((line) => line.startsWith('result '))
    if (result === undefined) throw new Error(`no result: ${lines.join(' | ')}`)
    const close = async (): Promise<void> => {
      child.stdin.end()
      await until(() => lines.includes('closed'), MAX_WAIT_MS)
      await until(() => child.exitCode !== null, MAX_WAIT_MS)
    }
    return { outcome: JSON.parse(result.slice('result '.length)), lines, child, close }
  }

  function mongodPid(): number | null {
    try {
      return Number(readFileSync(join(data(), 'mongod.lock'), 'utf8')) || null
    } catch {
      return null
    }
  }

  async function withNotes<T>(
    { outcome }: Started,
    use: (notes: Collection) => Promise<T>,
  ): Promise<T> {
    const client = new MongoClient(String(outcome.uri), { serverSelectionTimeoutMS: 3000 })
    try {
      return await use(client.db('start-mongod').collection('notes'))
    } finally {
      await client.close()
    }
  }

  // The stand-in responds with code 59 if no database runs behind it.
  function noEngine(error: unknown): null {
    if (error instanceof MongoServerError && error.code === 59) return null
    throw error
  }

  async function setNameAt(uri: string): Promise<unknown> {
    const client = new MongoClient(uri, { serverSelectionTimeoutMS: 3000 })
    try {
      const hello = await client.db('admin').command({ hello: 1 })
      return hello['isWritablePrimary'] === true && hello['setName']
    } finally {
      await client.close()
    }
  }

  async function listen(server: Server): Promise<number> {
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  it('runs the mongod of MONGOMS_SYSTEM_BINARY as a replica set of one and stops it', async () => {
    const { outcome, close } = await start()
    expect(outcome.what).to.equal('mongod 8.0.4 of MONGOMS_SYSTEM_BINARY')
    expect(await setNameAt(String(outcome.uri))).to.equal('quire')
    const pid = Number(mongodPid())
    await close()
    expect(isAlive(pid)).to.equal(false)
  })

  it('finds a mongod on the PATH', async () => {
    mkdirSync(join(dir, 'bin'))
    symlinkSync(STAND_IN, join(dir, 'bin', 'mongod'))
    const path = `${join(dir, 'bin')}:${process.env['PATH']}`
    const { outcome, close } = await start({ PATH: path, MONGOMS_SYSTEM_BINARY: '' })
    expect(outcome.what).to.equal('mongod 8.0.4 on the PATH')
    await close()
  })

  it('keeps its port after a restart', async () => {
    const first = await start()
    await first.close()
    const second = await start()
    expect(second.outcome.uri).to.equal(first.outcome.uri)
    expect(await setNameAt(String(second.outcome.uri))).to.equal('quire')
    await second.close()
  })

  it('keeps its data after a restart', async function () {
    const first = await start()
    const kept = await withNotes(first, (notes) => notes.insertOne({ text: 'kept' })).catch(
      noEngine,
    )
    await first.close()
    if (kept === null) this.skip()
    const second = await start()
    const found = await withNotes(second, (notes) => notes.findOne({ text: 'kept' }))
    await withNotes(second, (notes) => notes.drop())
    await second.close()
    expect(found).to.have.property('text', 'kept')
  })

  it('moves to another port if its own is taken', async () => {
    const first = await start()
    await first.close()
    const port = Number(/:(\d+)\//.exec(String(first.outcome.uri))?.[1])
    const squatter = createServer((socket) => socket.destroy())
    servers.push(squatter)
    squatter.listen(port, '127.0.0.1')
    await once(squatter, 'listening')
    const second = await start()
    expect(second.outcome.uri).to.be.a('string').and.not.equal(first.outcome.uri)
    expect(await setNameAt(String(second.outcome.uri))).to.equal('quire')
    await second.close()
  })

  it('lets a second process use the running mongod and leaves it running', async () => {
    const owner = await start()
    const guest = await start()
    expect(guest.outcome.uri).to.equal(owner.outcome.uri)
    expect(guest.outcome.what).to.equal(`mongod 8.0.4 of process ${owner.child.pid}`)
    await guest.close()
    expect(await setNameAt(String(owner.outcome.uri))).to.equal('quire')
    await owner.close()
  })

  it('shares one mongod between two processes that start together', async () => {
    const both = await Promise.all([start(), start()])
    expect(both[0].outcome.unavailable ?? both[1].outcome.unavailable).to.equal(undefined)
    expect(both[0].outcome.uri).to.equal(both[1].outcome.uri)
    for (const one of both) await one.close()
  })

  it('stops the orphaned mongod of a killed process and starts on its data', async () => {
    const first = await start()
    const orphan = Number(mongodPid())
    first.child.kill('SIGKILL')
    await until(() => first.child.signalCode !== null, MAX_WAIT_MS)
    const second = await start()
    expect(second.outcome.unavailable).to.equal(undefined)
    await until(() => !isAlive(orphan), MAX_WAIT_MS)
    expect(mongodPid()).not.to.equal(orphan)
    expect(await setNameAt(String(second.outcome.uri))).to.equal('quire')
    await second.close()
  })

  it('ignores the stale lock file of a dead mongod', async () => {
    mkdirSync(data())
    writeFileSync(join(data(), 'mongod.lock'), `${process.pid}\n`)
    const { outcome, close } = await start()
    expect(outcome.what).to.equal('mongod 8.0.4 of MONGOMS_SYSTEM_BINARY')
    await close()
  })

  it('logs an error if mongod dies', async () => {
    const { lines, close } = await start()
    process.kill(Number(mongodPid()), 'SIGKILL')
    await until(() => lines.some((line) => line.startsWith('error mongod 8.0.4')), MAX_WAIT_MS)
    await close()
  })

  it('runs mongod in a process group of its own', async function () {
    if (process.platform !== 'linux') this.skip()
    const { child, close } = await start()
    expect(groupOf(Number(mongodPid()))).not.to.equal(groupOf(Number(child.pid)))
    await close()
  })

  describe('if mongod does not start', () => {
    const what = 'mongod 8.0.4 of MONGOMS_SYSTEM_BINARY does not start'
    const reasons: readonly [string, Record<string, string>, RegExp][] = [
      [
        'reports a missing binary',
        { MONGOMS_SYSTEM_BINARY: '/nowhere/mongod' },
        /names \/nowhere\/mongod, which cannot be executed/,
      ],
      ['reports an old version', { STAND_IN: 'old' }, /is v3\.6\.23, older than 5\.0/],
      [
        'reports a binary that hangs at --version',
        { STAND_IN: 'hang-version' },
        /did not report its version within 3 s/,
      ],
      [
        'reports a binary that exits immediately',
        { STAND_IN: 'exit' },
        new RegExp(`${what}: .*code "14".*told to fail`),
      ],
      [
        'reports a fault that mongod logs as JSON',
        { STAND_IN: 'in-use-json' },
        new RegExp(`${what}: .*DBPathInUse`),
      ],
    ]
    for (const [fault, env, why] of reasons) {
      it(fault, async () => {
        const { outcome, close } = await start(env)
        expect(outcome.unavailable).to.match(why)
        expect(outcome.ms).to.be.below(LIMITS.launchMs)
        await close()
      })
    }

    it('kills a mongod that hangs', async () => {
      const { outcome, close } = await start({ STAND_IN: 'hang' }, { launchMs: 500 })
      expect(outcome.unavailable).to.equal(`${what}: it did not start within 0.5 s`)
      await close()
    })

    it('reports a binary of another architecture', async () => {
      const binary = join(dir, 'mongod-elsewhere')
      writeFileSync(binary, Buffer.from('7f454c46020101000000000000000000', 'hex'), { mode: 0o755 })
      const { outcome, close } = await start({ MONGOMS_SYSTEM_BINARY: binary })
      expect(outcome.unavailable).to.match(/mongod-elsewhere cannot be run/)
      await close()
    })
  })

  describe('with no mongod on the machine', () => {
    async function startWith(port: number, limits: object = {}): Promise<Started> {
      const env = {
        MONGOMS_SYSTEM_BINARY: '',
        PATH: dirOfNode(),
        MONGOMS_DOWNLOAD_DIR: join(dir, 'cache'),
        MONGOMS_DOWNLOAD_URL: `http://127.0.0.1:${port}/linux/mongodb-linux-x86_64-debian12-8.2.6.tgz`,
        MONGOMS_USE_HTTP: 'true',
        MONGOMS_MAX_RETRIES: '1',
      }
      return start(env, limits)
    }

    // Creates a folder that contains only node, for the first line of the stand-in.
    function dirOfNode(): string {
      const bin = join(dir, 'only-node')
      mkdirSync(bin, { recursive: true })
      symlinkSync(process.execPath, join(bin, 'node'))
      return bin
    }

    async function mirror(listener: RequestListener): Promise<number> {
      return listen(createHttpServer(listener))
    }

    it('gives up within two seconds if the host refuses connections', async () => {
      const server = createServer()
      const port = await listen(server)
      server.close()
      await once(server, 'close')
      const { outcome, close } = await startWith(port)
      expect(outcome.unavailable).to.match(
        /no mongod on this machine, and .* cannot be reached \(ECONNREFUSED\)/,
      )
      expect(outcome.ms).to.be.below(2000)
      await close()
    })

    it('gives up within two seconds if the host never answers', async () => {
      const port = await listen(createServer())
      const { outcome, close } = await startWith(port)
      expect(outcome.unavailable).to.match(/did not answer within 0\.5 s/)
      expect(outcome.ms).to.be.below(2000)
      await close()
    })

    it('gives up if the host has no build for this system', async () => {
      const port = await mirror((_, response) => {
        response.writeHead(403).end()
      })
      const { outcome, close } = await startWith(port)
      expect(outcome.unavailable).to.match(/has no mongod for this system \(it answered 403\)/)
      await close()
    })

    it('aborts a stalled download', async () => {
      const port = await mirror((request, response) => {
        response.writeHead(200, { 'content-length': '1000000' })
        if (request.method === 'HEAD') response.end()
        else response.write('some of it')
      })
      const { outcome, lines, close } = await startWith(port)
      expect(outcome.unavailable).to.match(/the download made no progress for 1\.5 s/)
      expect(lines.join()).to.include('downloading mongod 8.2.6 from 127.0.0.1')
      await close()
    })

    it('reports a failed download', async () => {
      const port = await mirror((request, response) => {
        response.writeHead(request.method === 'HEAD' ? 200 : 404).end()
      })
      const { outcome, close } = await startWith(port)
      expect(outcome.unavailable).to.match(/the download failed: .*404/)
      await close()
    })

    it('runs the downloaded mongod', async () => {
      const tgz = packStandIn()
      const md5 = `${createHash('md5').update(readFileSync(tgz)).digest('hex')}  mongodb.tgz`
      const port = await mirror((request, response) => {
        const body = request.url?.endsWith('.md5') ? md5 : readFileSync(tgz)
        response.writeHead(200, { 'content-length': Buffer.byteLength(body) })
        response.end(request.method === 'HEAD' ? undefined : body)
      })
      const { outcome, close } = await startWith(port, {
        download: { ...LIMITS.download, stallMs: 10_000 },
      })
      expect(outcome.unavailable).to.equal(undefined)
      expect(outcome.what).to.equal('mongod 8.0.4 downloaded now')
      await close()
    })

    function packStandIn(): string {
      mkdirSync(join(dir, 'pack', 'bin'), { recursive: true })
      const script = `#!/bin/sh\nexec "${process.execPath}" "${STAND_IN}" "$@"\n`
      writeFileSync(join(dir, 'pack', 'bin', 'mongod'), script, { mode: 0o755 })
      const tgz = join(dir, 'mongodb.tgz')
      execFileSync('tar', ['-czf', tgz, '-C', join(dir, 'pack'), 'bin/mongod'])
      return tgz
    }
  })
})

function groupOf(pid: number): string {
  const [, , group = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return group
}
