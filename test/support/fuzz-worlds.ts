import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { MongoClient } from 'mongodb'
import { pino } from 'pino'
import { buildApp } from '../../src/server/app.ts'
import { readConfig } from '../../src/base/config/config.ts'
import { importDocuments } from '../../src/transfer/import/import-documents.ts'
import { documentIdFor } from '../../src/mongo/versions/document-id.ts'
import { apiFacts } from '../../src/server/services/api-facts.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import { openServices } from '../../src/server/services/open-services.ts'
import type { Data } from '../../src/schema/definition.ts'
import type { Exchange } from '../describe/openapi/check-exchange.ts'
import { watchExchanges } from '../describe/openapi/watch-exchanges.ts'
import { testUri } from './test-database.ts'
import { declare } from './server.ts'

/**
 * A world is a complete server. All worlds have the same visible content. Hidden content differs:
 * private attributes, the targets of relations that the public role may not read, and drafts. A
 * response to the public role must not depend on the world.
 */
export interface World {
  /** Part of every hidden text of this world and of no visible text. */
  readonly canary: string
  ask(asked: Asked): Promise<Answered>
  /** Requests and responses that contradict the description of the API, one line each. */
  faults(): readonly string[]
  close(): Promise<void>
}

export interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent unchanged. */
  readonly body?: string
}

export interface Answered {
  readonly status: number
  readonly headers: string
  readonly text: string
}

/**
 * The number of documents by type. Requests use the texts, numbers and ids of these and of others.
 */
export const BOOKS = 12
export const AUTHORS = 4
export const SECRETS = 6
export const NOTES = 60
const LOCALES = ['en', 'fr'] as const
const ROOT_TOKEN = 'root-token-of-the-test'
const SEEDED_AT = new Date('2024-03-01T12:00:00.000Z')

export const idOf = (kind: string, index: number): string => documentIdFor(`${kind}:${index}`)

const hiddenText = { type: 'string', private: true }
const hiddenNumber = { type: 'integer', private: true }

export const CONTENT_TYPES: Readonly<Record<string, object>> = {
  'components/shared/link': {
    collectionName: 'components_shared_links',
    info: { displayName: 'link' },
    attributes: {
      label: { type: 'string' },
      pin: hiddenText,
      weight: hiddenNumber,
      vault: { type: 'relation', relation: 'manyToMany', target: 'api::secret.secret' },
    },
  },
  book: declare(
    'book',
    {
      title: { type: 'string' },
      rating: { type: 'integer' },
      key: { type: 'password' },
      hiddenNote: hiddenText,
      hiddenRank: hiddenNumber,
      hiddenData: { type: 'json', private: true },
      hiddenAuthor: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::author.author',
        private: true,
      },
      author: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::author.author',
        inversedBy: 'books',
      },
      secrets: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::secret.secret',
        inversedBy: 'books',
      },
      owner: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'plugin::users-permissions.user',
      },
      card: { type: 'component', component: 'shared.link' },
      links: { type: 'component', component: 'shared.link', repeatable: true },
      sections: { type: 'dynamiczone', components: ['shared.link'] },
    },
    { draftAndPublish: true, localized: true },
  ),
  author: declare('author', {
    name: { type: 'string' },
    hiddenCode: hiddenText,
    books: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::book.book',
      mappedBy: 'author',
    },
    vault: { type: 'relation', relation: 'oneToOne', target: 'api::secret.secret' },
  }),
  secret: declare('secret', {
    name: { type: 'string' },
    books: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'api::book.book',
      mappedBy: 'secrets',
    },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
  }),
  // The only type that requests may write.
  note: declare('note', {
    text: { type: 'string', required: true, maxLength: 40 },
    number: { type: 'integer', min: 0 },
    hiddenText,
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
    secrets: { type: 'relation', relation: 'manyToMany', target: 'api::secret.secret' },
    links: { type: 'component', component: 'shared.link', repeatable: true },
  }),
}

const PERMITTED: readonly string[] = [
  'api::book.book.find',
  'api::book.book.findOne',
  'api::author.author.find',
  'api::author.author.findOne',
  'api::note.note.find',
  'api::note.note.findOne',
  'api::note.note.create',
  'api::note.note.update',
  'api::note.note.delete',
]

/** `which` selects the hidden content, and reverses its order. */
export async function openWorld(which: 0 | 1): Promise<World> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quire-fuzz-'))
  for (const [name, declaration] of Object.entries(CONTENT_TYPES)) {
    const file = path.join(folder, `${name}.json`)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify(declaration))
  }
  const uri = await testUri()
  const name = `quire_test_fuzz_${randomBytes(4).toString('hex')}`
  const dependencies = {
    config: readConfig({
      CONTENT_TYPES_DIR: folder,
      QUIRE_DATA_DIR: path.join(folder, 'data'),
      MONGODB_DATABASE: name,
      ROOT_API_TOKEN: ROOT_TOKEN,
      JWT_SECRET: 'secret-of-the-test',
      QUERY_TIMEOUT_MS: '20000',
      RATE_LIMIT: 'off',
    }),
    deployment: { uri },
    log: pino({ level: 'silent' }),
  }
  const services = await openServices(dependencies)
  const canary = `canary${which === 0 ? 'Kestrel' : 'Wagtail'}`
  await services.locales.add({ code: 'fr', name: 'fr' })
  await services.access.roles.update('public', { permissions: PERMITTED })
  const context = { ...documentContext(services.database, services.schema), now: () => SEEDED_AT }
  for (const [kind, documents] of Object.entries(contentOf(which, canary))) {
    await importDocuments(context, context.contentType(`api::${kind}.${kind}`), documents)
  }
  const app = buildApp(dependencies, services)
  const listener = createServer(app.callback())
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const exchanges = watchExchanges(() =>
    apiFacts(dependencies.config, services.schema, services.locales),
  )
  const ask: World['ask'] = async (asked) => {
    const answered = await send(port, agent, asked)
    await exchanges.observe(exchangeOf(asked, answered))
    return answered
  }
  await hideDrafts(which, canary, ask)
  return {
    canary,
    ask,
    faults: () => exchanges.faults(),
    close: async () => {
      agent.destroy()
      listener.closeAllConnections()
      listener.close()
      await app.close()
      const admin = await MongoClient.connect(uri)
      await admin.db(name).dropDatabase()
      await admin.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type Documents = Parameters<typeof importDocuments>[2]

function contentOf(which: 0 | 1, canary: string): Readonly<Record<string, Documents>> {
  const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n)
  /** A number that sorts hidden content in opposite orders in the two worlds. */
  const rank = (n: number): number => (which === 0 ? n : 100 - n)
  const secretsFor = (n: number): readonly string[] =>
    numbers(SECRETS).flatMap((s) => ((n * (which + 2) + s) % 3 === 0 ? [idOf('secret', s)] : []))
  const link = (label: string, n: number): Data => ({
    label,
    pin: `${canary} pin ${rank(n)}`,
    weight: rank(n),
    vault: secretsFor(n + 1),
  })
  const one = (kind: string, n: number, data: Data) => ({
    documentId: idOf(kind, n),
    versions: [{ locale: '', status: 'published' as const, data }],
  })
  const book = (n: number, locale: string, isDraft: boolean): Data => ({
    title: isDraft ? `${canary} draft ${n}` : `title ${n % 5} ${locale}`,
    rating: isDraft ? rank(n) : n % 4,
    key: `${canary}key${rank(n)}`,
    hiddenNote: `${canary} note ${rank(n)}`,
    hiddenRank: rank(n),
    hiddenData: { canary, n: rank(n) },
    hiddenAuthor: idOf('author', rank(n) % AUTHORS),
    author: n % 6 === 5 ? null : idOf('author', n % AUTHORS),
    secrets: secretsFor(n),
    card: n % 4 === 3 ? null : link(`meta ${n % 3}`, n),
    links: numbers(n % 3).map((l) => link(`link ${l}`, n + l)),
    sections: [{ __component: 'shared.link', ...link(`section ${n % 2}`, n) }],
  })
  return {
    // Some secrets exist in one world only.
    secret: numbers(which === 0 ? SECRETS : SECRETS - 2).map((n) =>
      one('secret', n, { name: `${canary} secret ${rank(n)}` }),
    ),
    author: numbers(AUTHORS).map((n) =>
      one('author', n, {
        name: `name ${n % 3}`,
        hiddenCode: `${canary} code ${rank(n)}`,
        vault: idOf('secret', (n + which) % (SECRETS - 2)),
      }),
    ),
    book: numbers(BOOKS).map((n) => ({
      documentId: idOf('book', n),
      versions: LOCALES.slice(0, 1 + (n % 2)).map((locale) => ({
        locale,
        // The last ones are drafts, which the public role never sees.
        status: n >= BOOKS - 3 ? ('draft' as const) : ('published' as const),
        data: book(n, locale, n >= BOOKS - 3),
      })),
    })),
    note: numbers(NOTES).map((n) =>
      one('note', n, {
        text: `text ${n % 3}`,
        number: n,
        hiddenText: `${canary} text ${rank(n)}`,
        author: idOf('author', n % AUTHORS),
        secrets: secretsFor(n),
        links: [link('a', n)],
      }),
    ),
  }
}

/** Creates drafts that differ from their published versions. */
async function hideDrafts(which: 0 | 1, canary: string, ask: World['ask']): Promise<void> {
  for (const n of [0, 1, 2]) {
    const author = idOf('author', (n + 1 + which) % AUTHORS)
    const answered = await ask({
      method: 'PUT',
      target: `/api/books/${idOf('book', n)}?status=draft`,
      headers: { authorization: `Bearer ${ROOT_TOKEN}` },
      body: JSON.stringify({ data: { title: `${canary} changed`, rating: which * 50, author } }),
    })
    if (answered.status !== 200) throw new Error(answered.text)
  }
}

function exchangeOf(
  { method, target, headers = {}, body }: Asked,
  { status, headers: sent, text }: Answered,
): Exchange {
  const { 'content-type': contentType } = JSON.parse(sent) as Record<string, string | undefined>
  const requestBody = body === undefined ? undefined : parsed(body)
  const requestHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return { method, target, requestHeaders, requestBody, status, contentType, text }
}

/** Undefined if the body is not JSON; the server could not read it either. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function send(port: number, agent: Agent, { method, target, headers = {}, body }: Asked) {
  return new Promise<Answered>((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      agent,
      method,
      path: target,
      headers: { ...(body !== undefined && framed(body)), ...headers },
    })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: JSON.stringify(response.headers),
          text: Buffer.concat(chunks).toString('utf8'),
        })
      })
    })
    outgoing.end(body)
  })
}

/**
 * Node sends the body of a DELETE without a length, and the server would read its bytes as another
 * request.
 */
function framed(body: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }
}
