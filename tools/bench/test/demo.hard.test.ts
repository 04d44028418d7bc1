import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { until } from '../../../test/support/until.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'

const SCRIPT = fileURLToPath(new URL('../src/demo.js', import.meta.url))
const START_MS = 120_000

interface Started {
  readonly output: string
  readonly ms: number
  /** Sends SIGINT and returns the exit code. */
  stop(): Promise<number | null>
}

describe('the demo', () => {
  let test: TestDatabase
  let dataDir: string
  const running = new Set<ChildProcess>()

  beforeEach(async () => {
    test = await openTestDatabase('demo')
    dataDir = mkdtempSync(join(tmpdir(), 'quire-demo-'))
  })

  afterEach(async () => {
    for (const child of running) child.kill('SIGKILL')
    running.clear()
    await test.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  async function start(more: NodeJS.ProcessEnv = {}): Promise<Started> {
    const { PATH, HOME } = process.env
    const startedAt = performance.now()
    const child = spawn(process.execPath, [SCRIPT], {
      env: {
        PATH,
        HOME,
        HOST: '127.0.0.1',
        PORT: '0',
        LOG_LEVEL: 'error',
        MONGODB_URI: test.uri,
        MONGODB_DATABASE: test.name,
        QUIRE_DATA_DIR: dataDir,
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    const output = await outputUntil(child, /Ctrl-C ends it|npm run demo\n/)
    return {
      output,
      ms: performance.now() - startedAt,
      stop: async () => {
        child.kill('SIGINT')
        const [code] = (await once(child, 'exit')) as [number | null]
        running.delete(child)
        return code
      },
    }
  }

  it('prints three working commands, and the same ones at the next start', async () => {
    const first = await start()
    expect(first.output).to.include('countries: 250').and.include('cities: 2,000')
    const answers = await Promise.all(commandsIn(first.output).map(runCommand))
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    const [largest, japanese, articles] = answers.map(({ body }) => body.data)
    expect(largest).to.have.lengthOf(5)
    expect(largest[0]).to.include({ name: 'Chad', capital: "N'Djamena" }).and.have.property('area')
    expect(japanese[0]).to.include({ name: 'スイス' })
    expect(japanese[0].borders.map(({ name }: { name: string }) => name)).to.include('フランス')
    expect(articles).to.have.lengthOf(8)
    expect(await signIn(first.output)).to.deep.equal([200, 400])
    expect(await first.stop()).to.equal(0)
    expect(statSync(join(dataDir, 'demo-token')).mode & 0o777).to.equal(0o600)

    const second = await start()
    expect(second.output).to.not.include('countries: 250')
    expect(tokenIn(second.output)).to.equal(tokenIn(first.output))
    const again = await Promise.all(commandsIn(second.output).map(runCommand))
    expect(again.map(({ body }) => body)).to.deep.equal(answers.map(({ body }) => body))
    expect(await second.stop()).to.equal(0)
  })

  it('permits the public role to read published content only', async () => {
    const demo = await start()
    const base = /Address\s+(\S+)/.exec(demo.output)?.[1] ?? ''
    const status = async (path: string, init?: RequestInit) =>
      (await fetch(`${base}/api/${path}`, init)).status
    const json = { 'content-type': 'application/json' }
    const post = { method: 'POST', headers: json, body: '{"data":{"name":"X"}}' }
    const readOnly = { ...json, authorization: `Bearer ${tokenIn(demo.output)}` }
    for (const path of ['articles', 'categories', 'cities', 'countries', 'homepage']) {
      expect(await status(path), path).to.equal(200)
    }
    const search = async () => (await fetch(`${base}/api/_search?q=islands`)).json()
    await until(async () => ((await search()) as { data: unknown[] }).data.length === 2, 30_000)
    expect(await status('articles?status=draft')).to.equal(403)
    expect(await status('cities', post)).to.equal(403)
    expect(await status('cities', { ...post, headers: readOnly })).to.equal(403)
    await demo.stop()
  })

  it('replaces the demo token if its file is lost', async () => {
    const first = await start()
    await first.stop()
    rmSync(join(dataDir, 'demo-token'))
    const second = await start()
    expect(tokenIn(second.output)).to.not.equal(tokenIn(first.output))
    const answers = await Promise.all(commandsIn(second.output).map(runCommand))
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    await second.stop()
  })

  it('leaves existing content alone', async () => {
    await test.database.collection('cities').insertOne({ name: 'Atlantis' })
    const demo = await start()
    expect(demo.output).to.include('the database holds other content')
    expect(commandsIn(demo.output)).to.have.lengthOf(0)
    const base = /Address\s+(\S+)/.exec(demo.output)?.[1] ?? ''
    expect((await fetch(`${base}/api/cities`)).status).to.equal(403)
    expect(await test.database.collection('cities').countDocuments()).to.equal(1)
    expect(await demo.stop()).to.equal(0)
  })
})

async function outputUntil(child: ChildProcess, end: RegExp): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      reject(new Error(`${why}:\n${output}`))
    }
    const late = setTimeout(fail, START_MS, 'the demo did not start in time')
    const take = (chunk: Buffer) => {
      output += chunk.toString()
      if (!end.test(output)) return
      clearTimeout(late)
      resolve(output)
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    child.once('exit', () => {
      clearTimeout(late)
      fail('the demo ended')
    })
  })
}

function commandsIn(output: string): readonly string[] {
  return output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('curl '))
}

/** Parses a command like curl: options, then the address, all in single quotes. */
async function runCommand(command: string) {
  const quoted = [...command.matchAll(/'([^']*)'/g)].map(([, text = '']) => text)
  const address = quoted.at(-1) ?? ''
  const headers = quoted.slice(0, -1).map((header) => header.split(': ') as [string, string])
  const response = await fetch(address, { headers })
  const body: ReturnType<JSON['parse']> = await response.json()
  return { status: response.status, body }
}

function tokenIn(output: string): string {
  return /Token\s+(\S+)/.exec(output)?.[1] ?? ''
}

/** Uses the one-time link twice. */
async function signIn(output: string): Promise<readonly number[]> {
  const [, address = '', token = ''] =
    /Sign in +(\S+)\/studio\/sign-in#token=([\w-]+)/.exec(output) ?? []
  const use = async (): Promise<number> => {
    const { status } = await fetch(`${address}/admin/session/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    return status
  }
  return [await use(), await use()]
}
