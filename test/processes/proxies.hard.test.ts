import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { declare, type Json, serve, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const POLLS = 500
const OPERATING = new URL('../../../docs/operating/', import.meta.url)
const PERMITTED = ['note', 'page'].flatMap((name) =>
  ['find', 'findOne', 'sync'].map((verb) => `api::${name}.${name}.${verb}`),
)

interface Proxy {
  readonly port: number
  stop(): Promise<void>
}

interface Answered {
  readonly status: number
  readonly text: string
}

function isThere(program: string, ...words: readonly string[]): boolean {
  return spawnSync(program, words).error === undefined
}

/** Whether Varnish has the module for tags. In Debian it is part of varnish-modules. */
function hasXkey(): boolean {
  const vmods = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64']
  const isIn = (dir: string): boolean => existsSync(path.join(dir, 'varnish/vmods/libvmod_xkey.so'))
  return isThere('varnishd', '-V') && vmods.some(isIn)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function running(child: ChildProcess, port: number): Promise<Proxy> {
  let said = ''
  for (const output of [child.stdout, child.stderr]) {
    output?.on('data', (text: Buffer) => (said += text.toString()))
  }
  const ended = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  try {
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`the proxy has ended: ${said}`)
        return (await get(port, '/_health').catch(() => null)) !== null
      },
      30_000,
      () => said,
    )
  } catch (error) {
    await stop()
    throw error
  }
  return { port, stop }
}

/** Uses docs/operating/nginx.conf with other ports and another folder. */
async function startNginx(folder: string, upstream: number): Promise<Proxy> {
  const port = await freePort()
  const site = readFileSync(new URL('nginx.conf', OPERATING), 'utf8')
    .replace('/var/cache/nginx/quire', path.join(folder, 'cache'))
    .replace('127.0.0.1:1337', `127.0.0.1:${upstream}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${path.join(folder, name)};`,
  )
  const main = [
    `pid ${path.join(folder, 'nginx.pid')};`,
    'error_log stderr warn;',
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'worker_processes 1;',
    'events { worker_connections 4096; }',
    `http { access_log off; ${temporary.join(' ')}\n${site}\n}`,
  ]
  const file = path.join(folder, 'nginx.conf')
  mkdirSync(path.join(folder, 'cache'))
  writeFileSync(file, main.join('\n'))
  const words = ['-p', folder, '-c', file, '-g', 'daemon off;']
  return running(spawn('nginx', words, { stdio: ['ignore', 'pipe', 'pipe'] }), port)
}

/** Uses docs/operating/varnish.vcl. */
async function startVarnish(folder: string, upstream: number, port: number): Promise<Proxy> {
  const file = path.join(folder, 'varnish.vcl')
  writeFileSync(
    file,
    readFileSync(new URL('varnish.vcl', OPERATING), 'utf8').replace('"1337"', `"${upstream}"`),
  )
  const words = ['-F', '-n', path.join(folder, 'work'), '-f', file, '-j', 'none']
  const listening = ['-a', `127.0.0.1:${port}`, '-s', 'malloc,64m']
  const child = spawn('varnishd', [...words, ...listening], { stdio: ['ignore', 'pipe', 'pipe'] })
  return running(child, port)
}

const agent = new Agent({ keepAlive: true, maxSockets: 2_000 })

async function get(
  port: number,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered & { readonly headers: Json }> {
  const outgoing = request({ host: '127.0.0.1', port, path: target, headers, agent })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [Json]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode, headers: response.headers, text }
}

describe('a cache in front of the server', () => {
  let server: TestServer
  let folder: string
  /** Stops everything that a test has started. */
  const ends: (() => Promise<void>)[] = []

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-proxy-'))
  })
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
    rmSync(folder, { recursive: true, force: true })
  })

  const begin = async (environment: Readonly<Record<string, string>>): Promise<void> => {
    server = await serve('behind_cache', {
      contentTypes: {
        note: declare('note', { title: { type: 'string' } }),
        page: declare('page', { title: { type: 'string' } }),
      },
      permitted: PERMITTED,
      environment: { TRUST_PROXY: '1', METRICS_TOKEN: 'of-the-test', ...environment },
    })
    ends.push(() => server.close())
  }
  const through = async (started: Promise<Proxy>): Promise<number> => {
    const proxy = await started
    ends.push(() => proxy.stop())
    return proxy.port
  }
  /** The number of requests for a route that reached Quire. */
  const answered = async (route: string): Promise<number> => {
    const { text } = await get(server.port, '/metrics', { authorization: 'Bearer of-the-test' })
    return text
      .split('\n')
      .filter((line) => line.startsWith('quire_http_request_duration_seconds_count{'))
      .filter((line) => line.includes(`route="${route}"`))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }
  const create = async (name: string, title: string): Promise<string> =>
    (await server.post(`/api/${name}s`, { title })).body.data.documentId

  async function assertCollapse(port: number): Promise<void> {
    const { body } = await server.get('/api/_sync?types=note', { token: null })
    const before = await answered('/api/_sync')
    const target = `/api/_sync?token=${body.next}&wait=20`
    let done = 0
    const polls = Promise.all(
      Array.from({ length: POLLS }, async () => {
        const answer = await get(port, target)
        done += 1
        return answer
      }),
    )
    await until(() => Promise.resolve(agentSockets() >= POLLS), 20_000)
    expect(done, 'all of them wait').to.equal(0)
    const documentId = await create('note', 'news')
    const answers = await polls
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1)
    expect(JSON.parse(answers[0]?.text ?? '').items[0].documentId).to.equal(documentId)
    expect((await answered('/api/_sync')) - before, 'requests that Quire saw').to.be.at.most(2)
  }
  /** Waits until all commits are purged, including that of the public role. */
  async function allPurged(): Promise<void> {
    const client = await MongoClient.connect(server.uri)
    const db = client.db(server.database)
    try {
      await until(async () => {
        const pending = await db.collection('quire_commits').countDocuments({ pending: 1 })
        const head = await db.collection('quire_heads').findOne()
        const row = await db.collection('quire_purges').findOne()
        return pending === 0 && row?.['target'] === null && row['cursor'] === head?.['seq']
      }, 20_000)
    } finally {
      await client.close()
    }
  }
  const agentSockets = (): number =>
    Object.values(agent.sockets).reduce((sum, list) => sum + (list?.length ?? 0), 0)

  async function assertPrivate(port: number): Promise<void> {
    const before = await answered('/api/notes')
    for (let each = 0; each < 3; each += 1) {
      const { status } = await get(port, '/api/notes?status=published', {
        authorization: 'Bearer root-token-of-the-test',
      })
      expect(status).to.equal(200)
    }
    expect((await answered('/api/notes')) - before, 'with a credential').to.equal(3)
  }

  it(`sends one request for ${POLLS} polls that wait with one token, in nginx`, async function () {
    if (!isThere('nginx', '-v')) return this.skip()
    await begin({})
    const port = await through(startNginx(folder, server.port))
    await assertCollapse(port)
    await assertPrivate(port)
  })

  it('collapses these polls in Varnish, and removes exactly the tagged responses on a purge', async function () {
    if (!hasXkey()) return this.skip()
    await begin({ CACHE_TAGS: 'xkey', CACHE_MAX_AGE: '600' })
    const port = await through(startVarnish(folder, server.port, await freePort()))
    await create('note', 'a note')
    await create('page', 'a page')
    const seen = async (target: string): Promise<boolean> => {
      const before = await answered(target)
      const { status, headers } = await get(port, target)
      expect([status, headers.xkey]).to.deep.equal([200, undefined])
      return (await answered(target)) > before
    }
    await until(
      async () => JSON.parse((await get(port, '/api/notes')).text).data.length === 1,
      9_000,
    )
    await get(port, '/api/pages')
    expect([await seen('/api/notes'), await seen('/api/pages')]).to.deep.equal([false, false])
    const purge = request({
      host: '127.0.0.1',
      port,
      method: 'PURGE',
      headers: { 'xkey-purge': 'api::note.note' },
    })
    purge.end()
    const [response] = (await once(purge, 'response')) as [Json]
    response.resume()
    expect(response.statusCode).to.equal(200)
    expect([await seen('/api/notes'), await seen('/api/pages')]).to.deep.equal([true, false])
    await assertCollapse(port)
    await assertPrivate(port)
  })

  it('receives purges from Quire, in Varnish', async function () {
    if (!hasXkey()) return this.skip()
    const varnishPort = await freePort()
    await begin({
      CACHE_TAGS: 'xkey',
      CACHE_MAX_AGE: '600',
      CACHE_STALE_MS: '0',
      CDN_PURGE: 'varnish',
      CDN_PURGE_URL: `http://127.0.0.1:${varnishPort}/`,
    })
    const port = await through(startVarnish(folder, server.port, varnishPort))
    await create('note', 'first')
    await until(
      async () => JSON.parse((await get(port, '/api/notes')).text).data.length === 1,
      20_000,
    )
    await allPurged()
    await get(port, '/api/pages')
    const pages = await answered('/api/pages')
    await create('note', 'second')
    await until(
      async () => JSON.parse((await get(port, '/api/notes')).text).data.length === 2,
      20_000,
    )
    await allPurged()
    await get(port, '/api/pages')
    expect(await answered('/api/pages'), 'nobody asked again').to.equal(pages)
  })
})
