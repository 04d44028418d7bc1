import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { MongoClient } from 'mongodb'
import { importDocuments } from '../../../src/transfer/import/import-documents.ts'
import type { DeclaredRoute } from '../../../src/http/router/guarded-router.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { NO_LOCALE } from '../../../src/schema/no-locale.ts'
import { documentContext } from '../../../src/server/services/document-context.ts'
import { loadSchema } from '../../../src/server/services/load-schema.ts'
import { testUri } from '../../support/test-database.ts'
import { expensiveQuestion, idOf, NODES, SHELVES } from '../../support/expensive-requests.ts'
import { doorRequest, type Knock, pushes } from '../../support/door-requests.ts'
import { CANARY, CONTENT_TYPES } from '../../support/door-types.ts'
import { serve } from '../../support/server.ts'
import { startServerClock } from '../../support/server-clock.ts'
import {
  ROOT_TOKEN,
  type ServerProcess,
  startServerProcess,
  writeContentTypes,
} from '../../support/server-process.ts'

const REQUESTS = Number(process.env['DOOR_REQUESTS'] ?? 1_600)
/** Percentage of short queries with large responses. */
const DEAR_SHARE = Number(process.env['DOOR_DEAR_SHARE'] ?? 10)
/** No requests are sent after this number of seconds, for shared machines. */
const MAX_SECONDS = Number(process.env['DOOR_SECONDS'] ?? 1_200)
const OUTCOMES = ['applied', 'refused', 'conflict']
const PUSH_ROUNDS = 20
const CONCURRENCY = 16
const MAX_HEALTH_MS = 1_000
const MAX_RESIDENT_BYTES = 1_200_000_000
const BOOKS = 300
const NOTES = 20
/** Bounds for reading a stream that does not end. */
const STREAM_MS = 150
const MAX_KEPT = 400_000
const MAX_TOKENS = 500

interface Answered {
  readonly status: number
  readonly text: string
}

describe(`${REQUESTS} unprivileged requests to every route`, () => {
  let server: ServerProcess
  let folder: string
  let contentTypes: string
  let name: string
  let uri: string
  let routes: readonly DeclaredRoute[]
  let keys: readonly [string, string]
  const agent = new Agent({ keepAlive: true })
  const tokens: string[] = []
  const outcomes = new Set<string>()

  before(async () => {
    const declared = await serve('door_routes', { contentTypes: CONTENT_TYPES })
    routes = declared.routes
    await declared.close()
    expect(routes.filter(({ path }) => path.startsWith('/admin')).length).to.be.above(80)
    uri = await testUri()
    name = `quire_test_doors_${process.pid}`
    contentTypes = writeContentTypes(CONTENT_TYPES)
    folder = mkdtempSync(path.join(tmpdir(), 'quire-doors-'))
    server = await startServerProcess({
      MONGODB_URI: uri,
      MONGODB_DATABASE: name,
      CONTENT_TYPES_DIR: contentTypes,
      QUIRE_DATA_DIR: folder,
      JWT_SECRET: 'secret-of-the-test',
      RATE_LIMIT: 'off',
    })
    await fill()
    await permit()
  })

  after(async () => {
    agent.destroy()
    await server.stop()
    const admin = await MongoClient.connect(uri)
    await admin.db(name).dropDatabase()
    await admin.close()
    for (const one of [folder, contentTypes]) rmSync(one, { recursive: true, force: true })
  })

  async function fill(): Promise<void> {
    const database = await openDatabase({ uri, name, queryTimeoutMs: 20_000 })
    const context = documentContext(database, await loadSchema(contentTypes))
    type Version = { readonly locale: string; readonly status: 'published' | 'draft' }
    const add = (
      kind: string,
      count: number,
      dataOf: (n: number, version: Version) => Data,
      versions: readonly Version[] = [{ locale: NO_LOCALE, status: 'published' }],
    ): Promise<unknown> =>
      importDocuments(
        context,
        context.contentType(`api::${kind}.${kind}`),
        Array.from({ length: count }, (_, n) => ({
          documentId: idOf(kind, n),
          versions: versions.map((version) => ({ ...version, data: dataOf(n, version) })),
        })),
      )
    const nodes = Array.from({ length: NODES }, (_, n) => idOf('node', n))
    const hidden = (n: number): Data => ({
      hidden: `${CANARY} ${n}`,
      vault: [idOf('secret', n % 5)],
    })
    await add('secret', 5, (n) => ({ name: `${CANARY} secret ${n}` }))
    await add('shelf', SHELVES, (n) => ({ name: `shelf ${n}`, ...hidden(n) }))
    await add('node', NODES, (n) => ({
      name: `node ${n}`,
      number: n,
      links: nodes.filter((_, other) => (n + other) % 3 !== 0),
      shelf: idOf('shelf', n % SHELVES),
      ...hidden(n),
    }))
    await add('book', BOOKS, (n) => ({
      title: `book ${n}`,
      text: 'text '.repeat(200),
      shelf: idOf('shelf', n % SHELVES),
      nodes: nodes.slice(n % 10, 10 + (n % 20)),
      ...hidden(n),
    }))
    const text = ({ status }: Version, n: number): Data =>
      status === 'draft' ? { text: `${CANARY} draft ${n}` } : { text: `note ${n}` }
    await add(
      'note',
      NOTES,
      (n, version) => ({ ...text(version, n), code: `code ${n}`, ...hidden(n) }),
      [
        { locale: 'en', status: 'draft' },
        { locale: 'en', status: 'published' },
      ],
    )
    await database.close()
  }

  async function permit(): Promise<void> {
    const may = (type: string, ...verbs: readonly string[]): readonly string[] =>
      verbs.map((verb) => `api::${type}.${type}.${verb}`)
    const permissions = [
      ...['node', 'shelf', 'book'].flatMap((type) => may(type, 'find', 'findOne', 'sync')),
      ...may('note', 'find', 'findOne', 'sync', 'create', 'update', 'delete'),
      'query::by-name',
      'query::notes',
      'query::groups',
    ]
    await asRoot('PUT', '/admin/roles/public', { permissions })
    const user = [...permissions, ...may('note', 'push', 'publish')]
    await asRoot('PUT', '/admin/roles/authenticated', { permissions: user })
    const token = { name: 'agent', type: 'custom', permissions: may('node', 'find', 'findOne') }
    const { data } = await asRoot('POST', '/admin/api-tokens', token)
    const person = { username: 'eve', email: 'eve@example.org', password: 'correct horse' }
    const { jwt } = await asRoot('POST', '/api/auth/local/register', person)
    keys = [String(data.accessKey), String(jwt)]
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- an unchecked response
  async function asRoot(method: string, target: string, body: object): Promise<any> {
    const { status, text } = await send({
      method,
      target,
      headers: { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      isClosed: false,
    })
    expect(status, text).to.be.oneOf([200, 201])
    return JSON.parse(text) as unknown
  }

  function send({ method, target, headers, body }: Knock): Promise<Answered> {
    const isStream = target.startsWith('/api/_live')
    return new Promise((resolve, reject) => {
      const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const asked = request(`${server.base}/`, {
        method,
        path: target,
        agent,
        headers: { ...length, ...headers },
      })
      asked.on('error', reject)
      asked.on('response', (response) => {
        const kept: Buffer[] = []
        let size = 0
        const end = (): void => {
          const text = Buffer.concat(kept).toString('utf8')
          resolve({ status: response.statusCode ?? 0, text })
        }
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size < MAX_KEPT) kept.push(chunk)
        })
        response.on('end', end)
        response.on('error', isStream ? end : reject)
        if (isStream && response.statusCode === 200) setTimeout(() => response.destroy(), STREAM_MS)
        response.on('close', end)
      })
      asked.end(body ?? undefined)
    })
  }

  const residentBytes = (): number => {
    if (process.platform !== 'linux') return 0
    const [, pages = '0'] = readFileSync(`/proc/${server.pid}/statm`, 'utf8').split(' ')
    return Number(pages) * 4_096
  }

  function check({ target, isClosed, body }: Knock, { status, text }: Answered): void {
    const what = `${target.slice(0, 300)} ${body?.slice(0, 300) ?? ''} → ${status} ${text.slice(0, 300)}`
    const isBusy = status === 503 || status === 504
    if (!isBusy) expect(status, what).to.be.below(500)
    if (isClosed) expect(status, what).to.be.within(400, 504)
    expect(text.includes(CANARY), what).to.equal(false)
    remember(target, text)
  }

  function remember(target: string, text: string): void {
    const next = /"next":"([\w-]+)"/.exec(text)?.[1]
    if (next !== undefined) tokens[Math.floor(Math.random() * MAX_TOKENS)] = next
    if (target !== '/api/_push') return
    for (const [, outcome = ''] of text.matchAll(/"outcome":"(\w+)"/g)) outcomes.add(outcome)
  }

  it(`opens no closed route, exposes no hidden text and keeps the health check below ${MAX_HEALTH_MS} ms`, async function () {
    this.timeout(120_000 + 1_000 * MAX_SECONDS)
    this.slow(600_000)
    const health: Knock = {
      method: 'GET',
      target: '/_health',
      headers: {},
      body: null,
      isClosed: false,
    }
    const dear = expensiveQuestion().map((target): Knock => ({ ...health, target }))
    const seen = (): readonly string[] => tokens.filter(Boolean)
    const asked = fc.oneof(
      { arbitrary: doorRequest({ routes, keys, seen }), weight: 100 - DEAR_SHARE },
      { arbitrary: dear, weight: DEAR_SHARE },
    )
    let [slowest, largest] = [0, 0]
    const end = new AbortController()
    const watch = async (): Promise<void> => {
      while (!end.signal.aborted) {
        const elapsedMs = startServerClock(server.pid)
        const { status } = await send(health)
        expect(status).to.equal(204)
        slowest = Math.max(slowest, elapsedMs())
        largest = Math.max(largest, residentBytes())
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const watching = watch()
    const statuses = new Map<number, number>()
    const ask = async (knock: Knock): Promise<void> => {
      const answered = await send(knock)
      statuses.set(answered.status, (statuses.get(answered.status) ?? 0) + 1)
      check(knock, answered)
    }
    const one = fc.asyncProperty(asked, ask)
    const numRuns = Math.ceil(REQUESTS / CONCURRENCY)
    const client = (): Promise<void> =>
      fc.assert(one, { numRuns, endOnFailure: true, interruptAfterTimeLimit: 1_000 * MAX_SECONDS })
    try {
      await Promise.all(Array.from({ length: CONCURRENCY }, client))
      // Each outcome needs a valid mutation in the right state, which is rare among the other requests.
      const pushed = fc.asyncProperty(pushes(keys), ask)
      for (
        let seed = 1;
        seed <= PUSH_ROUNDS && OUTCOMES.some((outcome) => !outcomes.has(outcome));
        seed++
      ) {
        await fc.assert(pushed, { numRuns: 100, seed, endOnFailure: true })
      }
    } finally {
      end.abort()
      await watching
    }
    const told = `health ${Math.round(slowest)} ms, ${Math.round(largest / 1e6)} MB, ${JSON.stringify([...statuses])}`
    if (this.test !== undefined) this.test.title += `: ${told}`
    // If all requests were refused, the test would prove too little.
    for (const status of [200, 400, 401]) expect(statuses.get(status), told).to.be.above(0)
    expect(tokens.filter(Boolean).length, 'tokens of _sync').to.be.above(0)
    expect([...outcomes], 'outcomes of _push').to.include.members(OUTCOMES)
    expect(server.complaints, told).to.deep.equal([])
    expect(largest, told).to.be.below(MAX_RESIDENT_BYTES)
    expect(slowest, told).to.be.below(MAX_HEALTH_MS)
  })
})
