import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { MongoClient } from 'mongodb'
import { pino } from 'pino'
import { markSharded, shardDatabase } from './sharded-cluster/shard-database.ts'
import { openPasswords, type Passwords } from '../../src/people/sign-in/passwords.ts'
import { type AppOptions, buildApp } from '../../src/server/app.ts'
import type { ContentService } from '../../src/extensions/content-service.ts'
import type { ExtensionHost } from '../../src/extensions/extension-host.ts'
import type { Extension } from '../../src/extensions/extension.ts'
import { readConfig } from '../../src/base/config/config.ts'
import type { DeclaredRoute } from '../../src/http/router/guarded-router.ts'
import type { ObservedCommand } from '../../src/base/observed.ts'
import { apiFacts } from '../../src/server/services/api-facts.ts'
import { openServices } from '../../src/server/services/open-services.ts'
import { testUri, isStrict } from './test-database.ts'
import type { Exchange } from '../describe/openapi/check-exchange.ts'
import { indexedLog, settledLog } from './settled.ts'
import { storeOtherNames } from './store-other-names.ts'
import { watchExchanges } from '../describe/openapi/watch-exchanges.ts'
import { watchWrites } from './watch-writes.ts'

export const ROOT_TOKEN = 'root-token-of-the-test'

/** A response of the server, unchecked: each test reads the parts that it expects. */
export type Json = ReturnType<JSON['parse']>

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Json
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, or unchanged if it is a string or bytes. */
  readonly body?: unknown
  /** Null is anonymous. The default is root. */
  readonly token?: string | null
}

export interface TestServer {
  readonly database: string
  readonly uri: string
  readonly contentTypesDir: string
  readonly port: number
  /** The declared routes. */
  readonly routes: readonly DeclaredRoute[]
  /**
   * Reports every database command of requests from now on, without the commands of the process
   * itself.
   */
  onCommand(listener: (command: ObservedCommand) => void): void
  /** Log lines at level warning and above since the last call. */
  takeLog(): readonly Json[]
  send(method: string, target: string, sent?: Sent): Promise<Answer>
  get(target: string, sent?: Sent): Promise<Answer>
  post(target: string, data: unknown, sent?: Sent): Promise<Answer>
  put(target: string, data: unknown, sent?: Sent): Promise<Answer>
  delete(target: string, sent?: Sent): Promise<Answer>
  /** The link to create the first administrator. */
  firstStartLink(): Promise<string | null>
  /** The first step of a shutdown. */
  leave(): void
  /**
   * Waits until all commits are numbered and the server knows their numbers. The database may show
   * them earlier.
   */
  settled(): Promise<void>
  /** Waits until `settled`, and until the full-text search has all commits, but no pending drafts. */
  indexed(wanted?: { readonly withDrafts: boolean }): Promise<void>
  /** Such as the deadline of hooks, which a test may change. */
  readonly host: ExtensionHost
  /** The content service of an extension. */
  contentFor(extension: string): ContentService
  /** The number of versions in a collection. */
  count(collection: string): Promise<number>
  /** The names of all files in the storage, sorted. */
  storedFiles(): Promise<readonly string[]>
  /**
   * @throws Error for writes that a cluster refuses (`watchWrites`), and for exchanges that
   * contradict the description of the API (`watchExchanges`)
   */
  close(): Promise<void>
}

export interface ServerOptions {
  /**
   * Declarations by file name, such as `article` or `components/shared/seo`, or the folder that
   * contains them.
   */
  readonly contentTypes: Readonly<Record<string, object>> | string
  readonly environment?: Readonly<Record<string, string>>
  /** Actions of the public role. */
  readonly permitted?: readonly string[]
  readonly locales?: readonly string[]
  /** Another database than that of this run, such as one behind a proxy. */
  readonly uri?: string
  /** The default is `warn`. */
  readonly logLevel?: string
  /** Like `npm run dev`. */
  readonly editableTypes?: boolean
  /** The default hashes are cheap. */
  readonly passwords?: Passwords
  readonly extensions?: readonly Extension[]
  /** For extensions only, such as the deadline of hooks. */
  readonly host?: Partial<ExtensionHost>
}

/**
 * Collections that the process itself reads and writes, outside of requests. The transaction of a
 * request inserts its commit.
 */
const BEHIND: ReadonlySet<string> = new Set([
  'quire_commits',
  'quire_heads',
  'quire_leases',
  'quire_processes',
  'quire_schedules',
  'quire_text_drafts',
  'quire_text_followers',
  'quire_text_indexes',
  'quire_text_recent',
  'quire_text_types',
  'quire_user_content',
  'quire_webhooks',
  'quire_query_stats',
])

function isBehind({ name, command }: ObservedCommand): boolean {
  const collection: unknown = name === 'getMore' ? command['collection'] : command[name]
  return name !== 'insert' && typeof collection === 'string' && BEHIND.has(collection)
}

/** test/people/sign-in/passwords.test.ts covers the cost of production hashes. */
const PASSWORDS = openPasswords({ memoryKiB: 64, passes: 1 })

async function shardWhereAsked(admin: MongoClient, database: string): Promise<void> {
  if (process.env['QUIRE_TEST_SHARD'] === 'on') await shardDatabase(admin, database)
  else if (isStrict()) await markSharded(admin, database)
}

function logInto(lines: Json[], { logLevel: level = 'warn' }: ServerOptions) {
  return pino({ level }, { write: (line: string) => lines.push(JSON.parse(line)) })
}

function databaseOf(label: string, { environment }: ServerOptions) {
  const shared = environment?.['MONGODB_DATABASE']
  const own = `quire_test_${label}_${randomBytes(4).toString('hex')}`
  return { database: shared ?? own, isOwn: shared === undefined }
}

/**
 * Starts the whole server on a free port. `close` drops its database, unless the environment names
 * the database of another server.
 */
export async function serve(label: string, options: ServerOptions): Promise<TestServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quire-api-'))
  const { contentTypes, passwords = PASSWORDS } = options
  if (typeof contentTypes !== 'string') await writeDeclarations(folder, contentTypes)
  const { database, isOwn } = databaseOf(label, options)
  const uri = await testUri()
  const lines: Json[] = []
  const log = logInto(lines, options)
  const dependencies: AppOptions = {
    config: readConfig({
      CONTENT_TYPES_DIR: typeof contentTypes === 'string' ? contentTypes : folder,
      QUIRE_DATA_DIR: path.join(folder, 'data'),
      MONGODB_URI: uri,
      MONGODB_DATABASE: database,
      ROOT_API_TOKEN: ROOT_TOKEN,
      JWT_SECRET: 'secret-of-the-test',
      SLOW_REQUEST_MS: '0', // any request may be slow on a loaded machine
      QUERY_TIMEOUT_MS: '20000',
      // Query costs are written in the background, which would disturb tests that count commands on
      // the wire.
      ...(options.uri !== undefined && { MONITOR_COMMANDS: 'off' }),
      ...options.environment,
    }),
    deployment: { uri: options.uri ?? uri },
    log,
    passwords,
    editableTypes: options.editableTypes,
    extensions: options.extensions,
  }
  await storeOtherNames(uri, database, dependencies.config.contentTypesDir)
  const services = await openServices(dependencies)
  Object.assign(services.extensions.host, options.host)
  const writes = watchWrites()
  services.monitor.onCommand((command) => writes.observe(command))
  const { config } = dependencies
  const exchanges = watchExchanges(() =>
    apiFacts(config, services.schema, services.locales, services.extensions.routes),
  )
  const app = buildApp(dependencies, services)
  const { maxHeaderBytes: maxHeaderSize } = dependencies.config.http.connections
  const listener = createServer({ maxHeaderSize }, app.callback())
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const admin = await MongoClient.connect(uri)
  await shardWhereAsked(admin, database)

  const send: TestServer['send'] = async (
    method,
    target,
    { headers = {}, body, token = ROOT_TOKEN } = {},
  ) => {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    const content = body === undefined ? undefined : isRaw ? body : JSON.stringify(body)
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path: target,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(content !== undefined && { 'content-type': 'application/json', ...lengthOf(content) }),
        ...headers,
      },
    })
    outgoing.end(content)
    const answer = await new Promise<Answer>((resolve, reject) => {
      outgoing.on('error', reject)
      outgoing.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const isJson = response.headers['content-type']?.startsWith('application/json') === true
          const plain = response.headers['content-encoding'] === undefined
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: isJson && plain && text !== '' ? JSON.parse(text) : null,
          })
        })
      })
    })
    await exchanges.observe(
      exchangeOf({ method, target, headers, body: isRaw ? null : body }, answer),
    )
    return answer
  }

  const settled = (): Promise<void> => settledLog(admin.db(database), services.commitLog)

  for (const code of options.locales ?? []) {
    await send('POST', '/admin/locales', { body: { code } })
  }
  if (options.permitted !== undefined) {
    const answer = await send('PUT', '/admin/roles/public', {
      body: { permissions: options.permitted },
    })
    if (answer.status !== 200) throw new Error(answer.text)
  }
  return {
    database,
    uri,
    contentTypesDir: dependencies.config.contentTypesDir,
    port,
    routes: app.routes,
    onCommand: (listener) =>
      services.monitor.onCommand((command) => {
        if (!isBehind(command)) listener(command)
      }),
    takeLog: () => lines.splice(0),
    send,
    get: (target, sent) => send('GET', target, sent),
    post: (target, data, sent) => send('POST', target, { ...sent, body: { data } }),
    put: (target, data, sent) => send('PUT', target, { ...sent, body: { data } }),
    delete: (target, sent) => send('DELETE', target, sent),
    firstStartLink: () => app.firstStartLink(),
    leave: () => app.leave(),
    host: services.extensions.host,
    contentFor: (extension) => services.extensions.host.content({ extension, depth: 1 }),
    settled,
    indexed: async (wanted = { withDrafts: false }) => {
      await settled()
      await indexedLog(services, wanted)
    },
    count: (collection) => admin.db(database).collection(collection).countDocuments(),
    storedFiles: async () => {
      const names: string[] = []
      for await (const { name } of services.storage.list()) names.push(name)
      return names.toSorted()
    },
    close: async () => {
      listener.closeAllConnections()
      listener.close()
      await app.close()
      if (isOwn) await admin.db(database).dropDatabase()
      await admin.close()
      await rm(folder, { recursive: true, force: true })
      const faults = [...writes.faults(), ...exchanges.faults()]
      if (faults.length > 0) throw new Error(faults.join('\n'))
    },
  }
}

/**
 * Node sends the body of a DELETE without a length. The server would read it as another request and
 * may close the connection.
 */
export function lengthOf(content: string | Buffer): { readonly 'content-length': string } {
  return { 'content-length': String(Buffer.byteLength(content)) }
}

interface Asked {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

function exchangeOf({ method, target, headers, body }: Asked, answer: Answer): Exchange {
  return {
    method,
    target,
    requestHeaders: headers,
    requestBody: body ?? undefined,
    status: answer.status,
    contentType: answer.headers['content-type'],
    text: answer.headers['content-encoding'] === undefined ? answer.text : null,
  }
}

async function writeDeclarations(
  folder: string,
  declarations: Readonly<Record<string, object>>,
): Promise<void> {
  for (const [name, declaration] of Object.entries(declarations)) {
    const file = path.join(folder, `${name}.json`)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify(declaration))
  }
}

/** A declaration in the format of a file. */
export function declare(
  singularName: string,
  attributes: object,
  options: {
    readonly kind?: 'singleType'
    readonly draftAndPublish?: boolean
    readonly localized?: boolean
    readonly sharded?: boolean
    readonly history?: boolean
    readonly search?: Readonly<Record<string, number>>
  } = {},
): object {
  const { kind = 'collectionType', draftAndPublish = false, localized = false } = options
  const { sharded, history, search } = options
  return {
    kind,
    collectionName: `${singularName}_versions`,
    info: { singularName, pluralName: `${singularName}s`, displayName: singularName },
    options: {
      draftAndPublish,
      ...(sharded !== undefined && { sharded }),
      ...(history !== undefined && { history }),
      ...(search !== undefined && { search }),
    },
    ...(localized && { pluginOptions: { i18n: { localized } } }),
    attributes,
  }
}
