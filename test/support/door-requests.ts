import * as fc from 'fast-check'
import type { DeclaredRoute } from '../../src/http/router/guarded-router.ts'
import { writeToken } from '../../src/changes/sync/query/sync-token.ts'
import { idOf, NODES } from './expensive-requests.ts'
import { pushRequest } from './push-requests.ts'
import { searchPath } from './search-requests.ts'

/** A request to a route other than the content routes. */
export interface Knock {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent unchanged. */
  readonly body: string | null
  /** Whether the server must refuse the request: a 2xx or 3xx is a fault. */
  readonly isClosed: boolean
}

const SYNCED = ['node', 'shelf', 'book', 'note', 'upload.file', 'secret', 'nope', '__proto__', '']
const MEMBERS = ['name', 'text', 'number', 'hidden', 'vault', 'links', 'nope', 'constructor', 'id']
const OPERATORS = ['$eq', '$ne', '$in', '$contains', '$null', '$not', '$or', '$where', '$gt', '']

const word = fc.oneof(
  fc.constantFrom('1', 'x', 'en', 'fr', '*', '', 'true', 'note 1', 'canary', '\u0000', '%00', '['),
  fc.string({ maxLength: 5, unit: 'binary' }),
)
const pair = (name: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(name, word).map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
const queryOf = (name: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc.array(pair(name), { maxLength }).map((pairs) => pairs.join('&'))
const filterName = fc
  .tuple(
    fc.constantFrom(...SYNCED),
    fc.constantFrom(...MEMBERS),
    fc.array(fc.constantFrom(...OPERATORS, ...MEMBERS), { maxLength: 3 }),
  )
  .map(([type, member, rest]) => `filters[${type}][${member}]${rest.map((r) => `[${r}]`).join('')}`)

function knock(method: string, target: string, more: Partial<Knock> = {}): Knock {
  return { method, target, headers: {}, body: null, isClosed: false, ...more }
}

/** Any JSON, sometimes deep enough to overflow a recursion. */
const anyJson = fc.oneof(
  { arbitrary: fc.json({ maxDepth: 3 }), weight: 8 },
  fc.integer({ min: 20, max: 9_000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  fc
    .integer({ min: 20, max: 4_000 })
    .map((depth) => `${'{"$not":'.repeat(depth)}1${'}'.repeat(depth)}`),
)

/** Issued tokens and invented tokens. */
function tokenOf(seen: () => readonly string[]): fc.Arbitrary<string> {
  const given = fc.nat({ max: 10_000 }).map((n) => seen()[n % Math.max(1, seen().length)] ?? 'x')
  const cut = fc
    .tuple(given, fc.nat({ max: 400 }), fc.string({ maxLength: 2 }))
    .map(([token, at, put]) => token.slice(0, at) + put + token.slice(at + 1))
  const turned = fc
    .tuple(given, fc.nat({ max: 6 }), anyJson)
    .map(([token, at, json]) => forge(token, at, json))
  const made = fc
    .record({
      asked: fc.dictionary(fc.constantFrom('types', 'locale', 'limit', 'filters', 'x'), word),
      log: word,
      seq: fc.nat(),
      item: fc.nat(),
      types: fc.array(fc.record({ after: fc.option(word), isLost: fc.boolean(), shape: word }), {
        maxLength: 3,
      }),
      locales: fc.array(word, { maxLength: 3 }),
      localeIds: fc.array(fc.nat(), { maxLength: 3 }),
      absent: fc.constant([]),
    })
    .map(writeToken)
  return fc.oneof(given, cut, turned, made)
}

/** Replaces one member of a token by other JSON. */
function forge(token: string, at: number, json: string): string {
  try {
    const members = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as unknown[]
    const texts = members.map((member, index) => (index === at ? json : JSON.stringify(member)))
    return Buffer.from(`[${texts.join(',')}]`).toString('base64url')
  } catch {
    return token
  }
}

function sync(path: string, seen: () => readonly string[]): fc.Arbitrary<Knock> {
  const types = fc.array(fc.constantFrom(...SYNCED), { minLength: 1, maxLength: 3 })
  const name = fc.oneof(
    fc.constantFrom('locale', 'status', 'limit', 'wait', 'fields[node]', 'fields[note]', 'nope'),
    filterName,
  )
  const first = fc
    .tuple(types, queryOf(name, 3))
    .map(([names, query]) => `types=${encodeURIComponent(names.join(','))}&${query}`)
  const plain = fc.constantFrom(
    'types=node,note&locale=*',
    'types=node&limit=7',
    'types=book&limit=1000',
    'types=note,shelf&filters[note][text][$contains]=1',
  )
  const later = fc
    .tuple(
      tokenOf(seen),
      fc.constantFrom('', '', '', '&wait=0', '&wait=0', '&wait=1', '&wait=x', '&types=node'),
    )
    .map(([token, more]) => `token=${encodeURIComponent(token)}${more}`)
  const last = tokenOf(seen).map((token) => ({ 'last-event-id': token.replaceAll(/[^\w-]/g, 'x') }))
  const headers = fc.oneof({ arbitrary: fc.constant({}), weight: 4 }, last)
  return fc
    .tuple(fc.oneof(first, plain, later), headers)
    .map(([query, more]) => knock('GET', `${path}?${query}`, { headers: more }))
}

function lineOf(): fc.Arbitrary<string> {
  const id = fc.nat({ max: NODES }).map((n) => idOf('note', n % 20))
  const key = fc.record({ code: fc.oneof(word, fc.integer().map(String)) }, { requiredKeys: [] })
  const data = fc.record(
    {
      text: word,
      number: fc.oneof(fc.integer(), word),
      data: fc.jsonValue({ maxDepth: 2 }),
      hidden: word,
      nodes: fc.oneof(fc.array(fc.nat({ max: NODES }).map((n) => idOf('node', n))), word),
      vault: fc.array(word, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  )
  const line = fc.record(
    {
      op: fc.constantFrom('upsert', 'upsert', 'delete', 'x'),
      type: fc.constantFrom('note', 'note', 'note', 'node', 'api::secret.secret', '__proto__'),
      documentId: fc.oneof(id, word),
      key,
      locale: fc.constantFrom('en', 'fr', '*', 'xx'),
      status: fc.constantFrom('draft', 'published', 'x'),
      data,
    },
    { requiredKeys: ['op', 'type'] },
  )
  const good = fc
    .tuple(id, word, fc.integer())
    .map(([documentId, text, number]) =>
      JSON.stringify({ op: 'upsert', type: 'note', documentId, data: { text, number } }),
    )
  return fc.oneof(
    { arbitrary: good, weight: 3 },
    { arbitrary: line.map((value) => JSON.stringify(value)), weight: 5 },
    anyJson,
    fc.constantFrom('', ' ', '{', '\u0000', '{"op":"upsert","op":"delete"}', 'x'.repeat(20_000)),
  )
}

function bulk(): fc.Arbitrary<Knock> {
  const type = fc.constantFrom('application/x-ndjson', 'application/x-ndjson', 'application/json')
  const query = fc.constantFrom('', '', '?atomic=true', '?atomic=x', '?nope=1')
  return fc
    .tuple(fc.array(lineOf(), { maxLength: 8 }), type, query)
    .map(([lines, contentType, more]) =>
      knock('POST', `/api/_bulk${more}`, {
        headers: { 'content-type': contentType },
        body: lines.join('\n'),
      }),
    )
}

/** Only end users may push. */
export function pushes(keys: Doors['keys']): fc.Arbitrary<Knock> {
  const [, user] = keys
  const type = fc.constantFrom('application/x-ndjson', 'application/json')
  const key = fc.constantFrom(user, user, user, keys[0], null)
  const body = fc.oneof({ arbitrary: pushRequest(MEMBERS), weight: 8 }, anyJson)
  return fc.tuple(body, type, key).map(([text, contentType, who]) =>
    knock('POST', '/api/_push', {
      headers: {
        'content-type': contentType,
        ...(who !== null && { authorization: `Bearer ${who}` }),
      },
      body: text,
      isClosed: who !== user,
    }),
  )
}

function named(): fc.Arbitrary<Knock> {
  const name = fc.constantFrom(
    'by-name',
    'by-name',
    'notes',
    'groups',
    'groups',
    'nope',
    '__proto__',
    '%00',
    'By-Name',
  )
  const parameter = fc.constantFrom(
    'name',
    'number',
    'names',
    'names[0]',
    'page',
    'locale',
    'fallbackLocale',
    'status',
    'name[$gt]',
    'filters[hidden]',
    'populate',
    '__proto__[x]',
  )
  return fc
    .tuple(name, queryOf(parameter, 4))
    .map(([path, query]) => knock('GET', `/api/_q/${path}?${query}`))
}

/** A search with `_q` over a type, and over its populated relations. */
function search(): fc.Arbitrary<Knock> {
  const path = fc.constantFrom('nodes', 'books', 'notes', 'shelfs', 'secrets')
  const more = fc.constantFrom('', '&populate=*', '&sort=hidden', '&locale=*', '&status=draft')
  const long = fc.integer({ min: 1, max: 3_000 }).map((length) => 'canary'.repeat(length / 6 + 1))
  return fc
    .tuple(path, fc.oneof({ arbitrary: word, weight: 5 }, long), more)
    .map(([type, text, rest]) => knock('GET', `/api/${type}?_q=${encodeURIComponent(text)}${rest}`))
}

function mcp(key: string): fc.Arbitrary<Knock> {
  const filters = fc.oneof(
    fc.dictionary(fc.constantFrom(...MEMBERS), fc.dictionary(fc.constantFrom(...OPERATORS), word)),
    fc
      .integer({ min: 900, max: 60_000 })
      .map((n) => ({ id: { $in: Array.from({ length: n }, () => 1) } })),
  )
  const args = fc.record(
    {
      type: fc.constantFrom('node', 'node', 'note', 'secret', '__proto__', 'nope'),
      filters,
      search: word,
      sort: fc.oneof(fc.constantFrom('name', 'hidden', 'vault.name'), fc.array(word)),
      page: fc.oneof(fc.integer(), word),
      pageSize: fc.integer(),
      populate: fc.oneof(fc.constantFrom('*', 'vault', ['links', 'vault']), fc.jsonValue()),
      fields: fc.array(fc.constantFrom(...MEMBERS), { maxLength: 3 }),
      documentId: fc.nat({ max: NODES }).map((n) => idOf('node', n)),
      data: fc.dictionary(fc.constantFrom(...MEMBERS), word),
      revision: fc.oneof(word, fc.constant(null)),
      locale: word,
      status: fc.constantFrom('draft', 'published'),
    },
    { requiredKeys: ['type'] },
  )
  const tool = fc.constantFrom(
    'find',
    'find',
    'get',
    'describe',
    'create',
    'update',
    'publish',
    'delete',
    'nope',
  )
  const call = fc.tuple(tool, args).map(([name, given]) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  }))
  const other = fc
    .constantFrom('initialize', 'tools/list', 'ping', 'server/discover', 'nope', '__proto__')
    .map((method) => ({ jsonrpc: '2.0', id: 'x', method }))
  const body = fc.oneof(
    { arbitrary: call.map((value) => JSON.stringify(value)), weight: 6 },
    other.map((value) => JSON.stringify(value)),
    fc.array(call, { maxLength: 300 }).map((value) => JSON.stringify(value)),
    anyJson,
  )
  const credential = fc.constantFrom({ authorization: `Bearer ${key}` }, {})
  const odd = fc.constantFrom<Record<string, string>>(
    {},
    {},
    {},
    { origin: 'http://evil.example' },
    { 'mcp-protocol-version': '2026-07-28' },
    { 'mcp-session-id': 'x' },
    { 'mcp-protocol-version': 'x' },
  )
  return fc.tuple(body, credential, odd).map(([text, who, more]) =>
    knock('POST', '/mcp', {
      headers: { 'content-type': 'application/json', ...who, ...more },
      body: text,
      isClosed: !('authorization' in who),
    }),
  )
}

/** Any route under `/admin`, for callers that are not administrators. */
function management(
  routes: readonly DeclaredRoute[],
  keys: readonly string[],
): fc.Arbitrary<Knock> {
  const admin = routes.filter(({ path }) => path.startsWith('/admin'))
  const segment = fc.constantFrom(
    'api::node.node',
    'api::secret.secret',
    'nope',
    '1',
    '%00',
    '..',
    '*',
    '__proto__',
    idOf('node', 1),
    idOf('secret', 1),
    'node',
    'en',
    'publish',
  )
  const credential = fc.constantFrom<Record<string, string>>(
    {},
    {},
    { authorization: 'Bearer x' },
    { cookie: 'quire_admin=x; __Host-quire_admin=y' },
    ...keys.map((key) => ({ authorization: `Bearer ${key}` })),
  )
  return fc
    .tuple(
      fc.constantFrom(...admin),
      fc.array(segment, { minLength: 4, maxLength: 4 }),
      queryOf(fc.oneof(fc.constantFrom('uid', 'status', 'locale', 'folder'), filterName), 2),
      anyJson,
      credential,
    )
    .map(([{ method, path, access }, segments, query, json, who]) => {
      let at = 0
      const concrete = path.replaceAll(/\{\*\w+\}|:\w+/g, () => segments[(at += 1) % 4] ?? 'x')
      const hasBody = ['post', 'put', 'patch'].includes(method)
      return knock(method.toUpperCase(), `${concrete}?${query}`, {
        headers: { ...(hasBody && { 'content-type': 'application/json' }), ...who },
        body: hasBody ? json : null,
        // A segment of `..` may have turned it into another path.
        isClosed: access !== 'everyone' && !concrete.includes('..'),
      })
    })
}

export interface Doors {
  readonly routes: readonly DeclaredRoute[]
  /** The tokens of a program that reads nodes and writes notes, and of an end user. */
  readonly keys: readonly [token: string, user: string]
  /** Tokens from responses of `_sync`. */
  readonly seen: () => readonly string[]
}

export function doorRequest({ routes, keys, seen }: Doors): fc.Arbitrary<Knock> {
  return fc.oneof(
    { arbitrary: sync('/api/_sync', seen), weight: 4 },
    { arbitrary: bulk(), weight: 2 },
    { arbitrary: pushes(keys), weight: 3 },
    { arbitrary: named(), weight: 3 },
    { arbitrary: search(), weight: 1 },
    { arbitrary: searchPath().map((path) => knock('GET', path)), weight: 1 },
    { arbitrary: sync('/api/_live', seen), weight: 1 },
    { arbitrary: mcp(keys[0]), weight: 3 },
    { arbitrary: management(routes, keys), weight: 6 },
  )
}
