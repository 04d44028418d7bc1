import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { testUri } from '../../support/test-database.ts'
import { until } from '../../support/until.ts'
import { startServerClock } from '../../support/server-clock.ts'
import {
  ROOT_TOKEN,
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../../support/server-process.ts'
import { pushed } from '../../support/push-world.ts'
import { declare } from '../../support/server.ts'
import { filesIn, MULTIPART, multipart } from '../../support/uploads.ts'

const CLIENTS = 120
const REQUEST_TIMEOUT_MS = 8_000
/** The interval at which Node looks for slow requests. */
const CHECK_MS = 5_000
const DRIP_MS = 200
const MAX_HEALTH_MS = 1_000
/**
 * Requests with a complete head count as work until they wait. During this time other requests may
 * get a 503.
 */
const BURST_MS = 1_000
/** Attacks with a complete head: 120 requests at once, eight of them served. */
const IS_BURST: ReadonlySet<string> = new Set(['a body of a wait'])
const AUTHORIZED = `Authorization: Bearer ${ROOT_TOKEN}\r\n`

describe('clients that send byte by byte', () => {
  let server: ServerProcess
  let folder: string
  let contentTypes: string
  let name: string
  let uri: string
  let token: string
  let user: string
  const sockets: Socket[] = []

  before(async () => {
    uri = await testUri()
    name = `quire_test_slow_clients_${process.pid}`
    contentTypes = writeContentTypes({ tag: pushed(declare('tag', { name: { type: 'string' } })) })
    folder = mkdtempSync(path.join(tmpdir(), 'quire-slow-clients-'))
    server = await startServerProcess({
      MONGODB_URI: uri,
      MONGODB_DATABASE: name,
      CONTENT_TYPES_DIR: contentTypes,
      QUIRE_DATA_DIR: folder,
      JWT_SECRET: 'secret-of-the-test',
      RATE_LIMIT: 'off',
      MAX_IN_FLIGHT: '8',
      HEADERS_TIMEOUT_MS: '4000',
      REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
    })
    const verbs = ['find', 'findOne', 'sync', 'create', 'update']
    const tag = verbs.map((verb) => `api::tag.tag.${verb}`)
    const register = 'plugin::users-permissions.auth.register'
    const open = [...tag, 'plugin::upload.content-api.upload', register]
    await permit('public', open)
    await permit('authenticated', [...tag, 'api::tag.tag.push'])
    user = await signUp()
    const answer = await fetch(`${server.base}/api/_sync?types=tag`)
    ;({ next: token } = (await answer.json()) as { next: string })
  })
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })
  after(async () => {
    await server.stop()
    const admin = await MongoClient.connect(uri)
    await admin.db(name).dropDatabase()
    await admin.close()
    for (const one of [folder, contentTypes]) rmSync(one, { recursive: true, force: true })
  })

  async function statusOf(
    method: string,
    target: string,
    body: string | Buffer | null = null,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ): Promise<number> {
    const answer = await fetch(server.base + target, {
      method,
      headers: { authorization: `Bearer ${ROOT_TOKEN}`, ...headers },
      ...(body !== null && { body }),
    })
    await answer.arrayBuffer()
    return answer.status
  }

  async function permit(role: string, permissions: readonly string[]): Promise<void> {
    const body = JSON.stringify({ permissions })
    expect(await statusOf('PUT', `/admin/roles/${role}`, body)).to.equal(200)
  }

  /** The token of an end user. */
  async function signUp(): Promise<string> {
    const account = { username: 'ada', email: 'ada@example.com', password: 'secret-of-ada' }
    const answer = await fetch(`${server.base}/api/auth/local/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    })
    return ((await answer.json()) as { jwt: string }).jwt
  }

  /** Starts a request and keeps sending these bytes, one at a time in a loop. */
  function drip(begin: string, bytes: string): Socket {
    const socket = connect(Number(new URL(server.base).port), '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', () => undefined)
    socket.write(begin)
    let at = 0
    const timer = setInterval(() => {
      socket.write(bytes.charAt(at % bytes.length))
      at += 1
    }, DRIP_MS)
    socket.once('close', () => clearInterval(timer))
    return socket
  }

  const post = (target: string, type: string, more = ''): string =>
    `POST ${target} HTTP/1.1\r\nHost: x\r\n${more}Content-Type: ${type}\r\nContent-Length: 900000\r\n\r\n`
  const form = MULTIPART['content-type']
  const boundary = form.split('boundary=')[1] ?? ''
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n`
  const LINE = '{"op":"upsert","type":"tag","data":{"name":"a'
  const HEAD = '{"client":"a-slow-client","log":null}\n{"n":1,"op":"'
  const wait = (): string => `GET /api/_sync?token=${token}&wait=25 HTTP/1.1\r\nHost: x\r\n`

  const ATTACKS: Readonly<Record<string, () => Socket>> = {
    'the head of an upload': () => drip('POST /api/upload HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'a'),
    'a file': () => drip(post('/api/upload', form) + part, 'x'),
    'the head of a part': () => drip(post('/api/upload', form), `--${boundary}\r\nX-Slow: `),
    'a field of an upload': () =>
      drip(
        `${post('/api/upload', form)}--${boundary}\r\nContent-Disposition: form-data; name="fileInfo"\r\n\r\n`,
        '{',
      ),
    'a line of _bulk': () => drip(post('/api/_bulk', 'application/x-ndjson') + LINE, 'a'),
    'empty lines of _bulk': () => drip(post('/api/_bulk', 'application/x-ndjson'), '\n'),
    'an atomic line of _bulk': () =>
      drip(post('/api/_bulk?atomic=true', 'application/x-ndjson', AUTHORIZED) + LINE, 'a'),
    'a line of _push': () =>
      drip(
        post('/api/_push', 'application/x-ndjson', `Authorization: Bearer ${user}\r\n`) + HEAD,
        'a',
      ),
    'the head of a wait': () => drip(`${wait()}X-Slow: `, 'a'),
    'a body of a wait': () => drip(`${wait()}Content-Length: 900000\r\n\r\n`, 'x'),
  }
  for (const [label, begin] of Object.entries(ATTACKS)) {
    it(`disconnects them, and serves all other clients: ${label}`, async function () {
      this.timeout(60_000)
      this.slow(40_000)
      const begun = performance.now()
      const sinceBegin = startServerClock(server.pid)
      for (let count = 0; count < CLIENTS; count += 1) begin()
      const attack = [...sockets]
      let slowest = 0
      let bulk = 0
      let rounds = 0
      const isOver = (): boolean => attack.every(({ closed }) => closed)
      await until(
        async () => {
          const elapsedMs = startServerClock(server.pid)
          expect(await statusOf('GET', '/_health')).to.equal(204)
          slowest = Math.max(slowest, elapsedMs())
          const asked = sinceBegin()
          const listed = await statusOf('GET', '/api/tags?populate=*')
          const expected = IS_BURST.has(label) && asked < BURST_MS ? [200, 503] : [200]
          expect(listed, `a list, ${Math.round(asked)} ms after the begin`).to.be.oneOf(expected)
          if (rounds % 10 === 0) {
            const body = multipart({ files: [{ name: 'quick.txt', content: 'quick' }] })
            const stored = await statusOf('POST', '/api/upload', body, MULTIPART)
            if (asked > BURST_MS) expect(stored).to.equal(201)
            const line = `{"op":"upsert","type":"tag","documentId":"${'a'.repeat(24)}","data":{}}\n`
            const headers = { 'content-type': 'application/x-ndjson' }
            if ((await statusOf('POST', '/api/_bulk', line, headers)) === 200) bulk += 1
          }
          rounds += 1
          return isOver()
        },
        REQUEST_TIMEOUT_MS + 2 * CHECK_MS + 10_000,
      )
      const told = `${rounds} rounds in ${Math.round(performance.now() - begun)} ms, health ${Math.round(slowest)} ms`
      if (this.test !== undefined) this.test.title += `: ${told}`
      expect(rounds, told).to.be.above(5)
      expect(bulk, told).to.be.above(0)
      expect(slowest, told).to.be.below(MAX_HEALTH_MS)
      await until(() => Promise.resolve(filesIn(path.join(folder, 'incoming')).length === 0), 5_000)
      expect(server.complaints).to.deep.equal([])
    })
  }
})
