import * as fc from 'fast-check'
import qs from 'qs'
import { OPERATORS } from '../../src/query/query.ts'
import { type Asked, AUTHORS, BOOKS, idOf, NOTES, SECRETS } from './fuzz-worlds.ts'

/**
 * The parts of a request: names that the public role may see, names that it may not see, and
 * others.
 */
interface Names {
  readonly attributes: readonly string[]
  /** Relations and components, with the names behind each. */
  readonly nested: Readonly<Record<string, () => Names>>
  readonly hidden: readonly string[]
}

const STAMPS = ['createdAt', 'updatedAt', 'publishedAt']

const link: Names = {
  attributes: ['id', 'label'],
  nested: {},
  hidden: ['pin', 'weight', 'vault', 'vault.name'],
}
const book: Names = {
  attributes: ['id', 'documentId', 'title', 'rating', 'locale', ...STAMPS],
  nested: { author: () => author, card: () => link, links: () => link },
  hidden: [
    'key',
    'hiddenNote',
    'hiddenRank',
    'hiddenData',
    'hiddenAuthor',
    'secrets',
    'owner',
    'sections',
    'status',
    'createdBy',
    'card.pin',
    'hiddenAuthor.name',
    'secrets.name',
  ],
}
const author: Names = {
  attributes: ['id', 'documentId', 'name', ...STAMPS],
  nested: { books: () => book },
  hidden: ['hiddenCode', 'vault', 'books.hiddenNote', 'vault.name'],
}
/**
 * Without attributes that differ between two servers after a write: ids of new documents, and
 * times.
 */
const note: Names = {
  attributes: ['id', 'text', 'number'],
  nested: { author: () => author, links: () => link },
  hidden: ['hiddenText', 'secrets', 'links.pin'],
}
const secret: Names = { attributes: ['id', 'name'], nested: { books: () => book }, hidden: [] }
const NAMES: Readonly<Record<string, Names>> = {
  books: book,
  authors: author,
  notes: note,
  secrets: secret,
}

/** The names in a request: visible ones only, or also hidden or unknown ones. */
type Daring = 'visible' | 'hidden' | 'noise'

const operand = fc.oneof(
  { arbitrary: fc.integer({ min: -2, max: 110 }).map(String), weight: 4 },
  fc.constantFrom(
    'title 1 en',
    'title',
    'name 2',
    'kestrel',
    'canary',
    'link',
    'meta 1',
    'text 1',
    'true',
  ),
  fc.constantFrom('2024-03-01', '2024-03-01T12:00:00.000Z', 'en', 'fr', '*', '{"$gt":""}', ''),
  fc.constantFrom(idOf('book', 1), idOf('author', 1), idOf('secret', 1)),
  fc.string({ maxLength: 6, unit: 'binary' }),
)
const odd = fc.constantFrom(
  '__proto__',
  'constructor',
  '$where',
  '$expr',
  '$regex',
  'nope',
  '_id',
  '',
  '0',
  '$$ROOT',
  'a.b',
  'secrets.0',
)
const operator = fc.constantFrom(...OPERATORS.map((name) => `$${name}`))
const TEXTS = [
  '$eq',
  '$ne',
  '$in',
  '$notIn',
  '$contains',
  '$startsWithi',
  '$endsWith',
  '$eqi',
  '$gt',
]
const ORDERED = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$notIn']
const visibleText = fc.constantFrom(
  'title 1 en',
  'title',
  'name 2',
  'link',
  'card 1',
  'text 1',
  'en',
  'e',
)
const visibleTime = fc.constantFrom('2024-03-01', '2024-03-01T12:00:00.000Z', '2020-01-01')

/** A comparison that fits the attribute, with an operand of its type. */
function fitting(name: string): fc.Arbitrary<object> {
  const isTime = STAMPS.includes(name)
  const isNumber = ['id', 'rating', 'number'].includes(name)
  const [operators, value] = isTime
    ? [ORDERED, visibleTime]
    : isNumber
      ? [ORDERED, fc.integer({ min: 0, max: 9 }).map(String)]
      : [TEXTS, visibleText]
  return fc
    .oneof(
      { arbitrary: fc.tuple(fc.constantFrom(...operators), value), weight: 6 },
      fc.tuple(fc.constantFrom('$null', '$notNull'), fc.constantFrom('true', 'false')),
      fc.tuple(fc.constant('$between'), fc.tuple(value, value)),
    )
    .map(([key, operand]) => ({ [name]: { [key]: operand } }))
}

function nameOf({ attributes, hidden }: Names, daring: Daring): fc.Arbitrary<string> {
  const visible = fc.constantFrom(...attributes)
  if (daring === 'visible') return visible
  if (daring === 'noise') return fc.oneof(visible, odd)
  if (hidden.length === 0) return visible
  return fc.oneof(
    { arbitrary: visible, weight: 2 },
    { arbitrary: fc.constantFrom(...hidden), weight: 3 },
  )
}

/** The object that a query string makes of a path such as `hiddenAuthor.name`. */
function nest(name: string, inner: unknown): object {
  return name.split('.').reduceRight<unknown>((value, key) => ({ [key]: value }), inner) as object
}

function filterOf(names: Names, daring: Daring, depth: number): fc.Arbitrary<unknown> {
  const compared = fc
    .tuple(nameOf(names, daring), operator, fc.oneof(operand, fc.array(operand, { maxLength: 3 })))
    .map(([name, key, value]) => nest(name, { [key]: value }))
  const short = fc.tuple(nameOf(names, daring), operand).map(([name, value]) => nest(name, value))
  const fits = fc.constantFrom(...names.attributes).chain(fitting)
  const leaf = daring === 'visible' ? fits : fc.oneof(fits, compared, short)
  if (depth === 0) return leaf
  const deeper = Object.entries(names.nested).map(([name, inner]) =>
    filterOf(inner(), daring, depth - 1).map((value) => ({ [name]: value })),
  )
  const branches = fc.array(filterOf(names, daring, depth - 1), { minLength: 1, maxLength: 3 })
  return fc.oneof(
    { arbitrary: leaf, weight: 4 },
    { arbitrary: fc.oneof(leaf, ...deeper), weight: 3 },
    branches.map((value) => ({ $or: value })),
    branches.map((value) => ({ $and: value })),
    filterOf(names, daring, depth - 1).map((value) => ({ $not: value })),
    ...(daring === 'noise' ? [fc.dictionary(odd, operand, { maxKeys: 2 }), operand] : []),
  )
}

function sortOf(names: Names, daring: Daring): fc.Arbitrary<unknown> {
  const deeper = Object.entries(names.nested).map(([name, inner]) =>
    nameOf(inner(), daring).map((last) => `${name}.${last}`),
  )
  const key = fc.oneof(nameOf(names, daring), nameOf(names, daring), ...deeper)
  const directed = fc
    .tuple(key, fc.constantFrom('', ':asc', ':desc', ...(daring === 'noise' ? [':x'] : [])))
    .map(([name, direction]) => name + direction)
  return fc.oneof(directed, fc.array(directed, { minLength: 1, maxLength: 3 }))
}

function populateOf(names: Names, daring: Daring, depth: number): fc.Arbitrary<unknown> {
  const links = Object.keys(names.nested)
  const refused = names.hidden.filter((name) => !name.includes('.'))
  const pool = daring === 'visible' || refused.length === 0 ? links : [...links, ...refused]
  const flat = fc.oneof(
    fc.constant('*'),
    ...(pool.length > 0 ? [fc.uniqueArray(fc.constantFrom(...pool), { minLength: 1 })] : []),
    ...(daring === 'noise' ? [odd] : []),
  )
  if (depth === 0 || links.length === 0) return flat
  const nodes = Object.entries(names.nested).map(([name, inner]) =>
    queryOf(inner(), daring, depth - 1).map((value) => ({ [name]: value })),
  )
  return fc.oneof({ arbitrary: flat, weight: 2 }, ...nodes)
}

function queryOf(names: Names, daring: Daring, depth: number): fc.Arbitrary<object> {
  const fields = nameOf(names, daring)
  return fc.record(
    {
      filters: filterOf(names, daring, depth),
      sort: sortOf(names, daring),
      fields: fc.oneof(fields, fc.array(fields, { minLength: 1, maxLength: 3 })),
      populate: populateOf(names, daring, depth),
    },
    { requiredKeys: [] },
  )
}

function rootQueryOf(names: Names, daring: Daring): fc.Arbitrary<string> {
  const small = fc.integer({ min: 1, max: 4 }).map(String)
  const page = fc.oneof(
    fc.record({ page: small, pageSize: small }, { requiredKeys: [] }),
    fc.record({ start: small, limit: small }, { requiredKeys: [] }),
    fc.record({ cursor: fc.constant(''), pageSize: small }),
    fc.record({ withCount: fc.constantFrom('true', 'false') }),
    ...(daring === 'noise' ? [fc.dictionary(odd, operand), operand] : []),
  )
  const around = fc.record(
    {
      pagination: page,
      locale: fc.constantFrom('en', 'fr', '*', ...(daring === 'visible' ? [] : ['xx', ''])),
      status: fc.constantFrom('published', ...(daring === 'visible' ? [] : ['draft', 'x'])),
      // A search includes document ids, and these differ after creations.
      ...(names !== note && {
        _q: fc.constantFrom('title', 'name', 'kestrel', 'note 7', '1', 'link', ''),
      }),
      // These types have no search, so the server refuses it.
      ...(daring === 'noise' && {
        search: fc.oneof(odd, fc.record({ query: odd, fields: odd }), fc.array(odd)),
      }),
    },
    { requiredKeys: [] },
  )
  const options = { encodeValuesOnly: true } as const
  return (
    fc
      .tuple(queryOf(names, daring, 2), around, fc.integer({ min: 0, max: 4 }))
      // The other parameters narrow the result, so they are often left out.
      .map(([query, more, odds]) => qs.stringify(odds > 1 ? query : { ...query, ...more }, options))
  )
}

const daring = fc.oneof(
  { arbitrary: fc.constant<Daring>('visible'), weight: 5 },
  { arbitrary: fc.constant<Daring>('hidden'), weight: 4 },
  { arbitrary: fc.constant<Daring>('noise'), weight: 2 },
)

const KINDS: Readonly<Record<string, readonly [kind: string, count: number]>> = {
  books: ['book', BOOKS],
  authors: ['author', AUTHORS],
  notes: ['note', NOTES],
  secrets: ['secret', SECRETS],
}

function documentIdOf(plural: string): fc.Arbitrary<string> {
  const [kind, count] = KINDS[plural] ?? ['', 1]
  const known = fc.nat({ max: count - 1 }).map((n) => idOf(kind, n))
  return fc.oneof({ arbitrary: known, weight: 8 }, fc.constantFrom('nope', '1', '%00', '$ne'))
}

function read(): fc.Arbitrary<Asked> {
  const plural = fc.oneof(
    { arbitrary: fc.constant('books'), weight: 8 },
    { arbitrary: fc.constantFrom('authors', 'notes'), weight: 8 },
    fc.constant('secrets'),
  )
  return fc.tuple(plural, daring).chain(([plural, daring]) =>
    fc
      .tuple(
        rootQueryOf(NAMES[plural] ?? book, daring),
        fc.oneof(
          { arbitrary: fc.constant(''), weight: 3 },
          documentIdOf(plural).map((id) => `/${id}`),
        ),
        fc.boolean(),
      )
      .map(([query, id, v4]) => ({
        method: 'GET' as const,
        target: `/api/${plural}${id}?${query}`,
        headers: v4 && id === '' ? { 'Strapi-Response-Format': 'v4' } : {},
      })),
  )
}

function write(): fc.Arbitrary<Asked> {
  const secretIds = fc.array(documentIdOf('secrets'), { maxLength: 2 })
  const related = fc.oneof(
    secretIds,
    secretIds.map((ids) => ({ connect: ids })),
    secretIds.map((ids) => ({ disconnect: ids })),
    fc.nat({ max: 8 }),
    fc.constant(null),
  )
  const inLink = fc.record(
    { label: fc.string({ maxLength: 4 }), pin: fc.string({ maxLength: 4 }), vault: related },
    { requiredKeys: [] },
  )
  const data = fc.record(
    {
      text: fc.oneof(fc.constantFrom('text 1', 'text 9'), fc.string({ maxLength: 5 })),
      number: fc.oneof(fc.integer({ min: -1, max: 9 }), fc.string({ maxLength: 2 })),
      hiddenText: fc.string({ maxLength: 4 }),
      author: fc.oneof(documentIdOf('authors'), fc.nat({ max: 6 }), fc.constant(null)),
      links: fc.array(inLink, { maxLength: 2 }),
      secrets: related,
      nope: operand,
    },
    { requiredKeys: [] },
  )
  // The server refuses most requests with a secret or an unknown key.
  const plain = data.map(({ text = 'text', number, hiddenText, author }) => ({
    text,
    number,
    hiddenText,
    author,
  }))
  const body = fc.oneof(
    { arbitrary: plain.map((data) => JSON.stringify({ data })), weight: 3 },
    { arbitrary: data.map((data) => JSON.stringify({ data })), weight: 3 },
    fc.json({ maxDepth: 3 }),
    fc
      .tuple(data, fc.nat({ max: 20 }))
      .map(([data, cut]) => JSON.stringify({ data }).slice(0, -cut)),
    fc.constantFrom('', '{', '{"data":{"__proto__":{"text":"a"}}}', '{"data":[]}', '\u0000'),
  )
  const plural = fc.oneof({ arbitrary: fc.constant('notes'), weight: 8 }, fc.constant('books'))
  const method = fc.oneof(
    { arbitrary: fc.constantFrom('POST' as const, 'PUT' as const), weight: 12 },
    fc.constant('DELETE' as const),
  )
  return fc
    .tuple(plural, method, body, documentIdOf('notes'), rootQueryOf(note, 'visible'))
    .map(([plural, method, body, id, query]) => ({
      method,
      target: `/api/${plural}${method === 'POST' ? '' : `/${id}`}?${query}`,
      ...(method !== 'DELETE' && { body }),
    }))
}

function elsewhere(): fc.Arbitrary<Asked> {
  const target = fc.constantFrom(
    '/api/users',
    '/api/users/me',
    '/api/users/1',
    '/api/upload/files',
    '/api/upload/files/1/address',
    '/api/upload/presign',
    '/api/upload/complete',
    '/api/upload/resumable',
    '/api/upload/resumable/a1',
    '/uploads/scan_private_0123456789abcdef0123456789abcdef.png',
    '/api/users-permissions/roles',
    '/api/i18n/locales',
    '/api/auth/local',
    '/admin/roles',
    '/admin/api-tokens',
    '/admin/files/resumable/a1',
    '/metrics/x',
    '/api',
    '/api/%E0%A4%A',
    '/uploads/../package.json',
  )
  const method = fc.constantFrom('GET' as const, 'POST' as const, 'PUT' as const, 'DELETE' as const)
  return fc
    .tuple(target, method, rootQueryOf(book, 'noise'), fc.json({ maxDepth: 2 }))
    .map(([target, method, query, body]) => ({
      method,
      target: `${target}?${query}`,
      ...(method !== 'GET' && { body }),
    }))
}

/** Any request of an anonymous client. */
export function requestOfAnybody(): fc.Arbitrary<Asked> {
  return fc.oneof(
    { arbitrary: read(), weight: 14 },
    { arbitrary: write(), weight: 4 },
    { arbitrary: elsewhere(), weight: 1 },
  )
}
