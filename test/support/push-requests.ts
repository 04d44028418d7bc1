import * as fc from 'fast-check'
import { idOf } from './expensive-requests.ts'

const CLIENTS = 200
const MAX_DEPTH = 1_200

const word = fc.oneof(
  fc.constantFrom('1', 'x', 'en', '', 'note 1', '__proto__', '\u0000', '$where'),
  fc.string({ maxLength: 5, unit: 'binary' }),
)
const documentId = fc.oneof(
  fc.nat({ max: 20 }).map((n) => idOf('note', n)),
  fc.nat({ max: 5 }).map((n) => idOf('secret', n)),
  word,
)
const key = fc.oneof(documentId, fc.integer())
const list = fc.array(
  fc.oneof(key, fc.record({ documentId: key, after: fc.option(key) }, { requiredKeys: [] })),
  { maxLength: 3 },
)
/** Stands for JSON of this depth, which is written as text. */
const deep = fc.integer({ min: 20, max: MAX_DEPTH }).map((depth) => `@depth:${depth}`)
const value = fc.oneof(word, fc.integer(), fc.jsonValue({ maxDepth: 2 }), list, deep)
const operation = fc.oneof(
  fc.record({ set: value }),
  fc.record({ inc: fc.oneof(fc.integer(), value) }),
  fc.record({ connect: list, disconnect: list }, { requiredKeys: [] }),
  fc.record({ remove: list, move: list, append: list }, { requiredKeys: [] }),
)

/** The body of a push to notes, which have some of these attributes. */
export function pushRequest(names: readonly string[]): fc.Arbitrary<string> {
  const name = fc.constantFrom('text', 'number', 'data', 'nodes', ...names)
  const lines = fc.oneof(
    { arbitrary: numbered(name), weight: 3 },
    fc.array(fc.oneof(anyMutation(name), fc.jsonValue()), { maxLength: 6 }),
  )
  return fc
    .tuple(fc.oneof({ arbitrary: anyHead(), weight: 8 }, fc.jsonValue()), lines)
    .map(([head, mutations]) =>
      [head, ...mutations].map((line) => withDepths(JSON.stringify(line))).join('\n'),
    )
}

function anyHead(): fc.Arbitrary<object> {
  const number = fc.oneof(fc.constant(0), fc.integer(), word)
  const client = fc.oneof(
    { arbitrary: fc.nat({ max: CLIENTS }).map((n) => `client-of-doors-${n}`), weight: 8 },
    word,
  )
  const log = fc.oneof({ arbitrary: fc.constant(null), weight: 8 }, word)
  const status = fc.constantFrom('published', 'draft', 'published', 'draft', 'x')
  const whole = fc.record({ client, log, status })
  const odd = fc.record(
    { client, log, ack: number, start: number, status },
    { requiredKeys: ['client', 'log'] },
  )
  return fc.oneof({ arbitrary: whole, weight: 4 }, odd)
}

/** Well-formed mutations with consecutive numbers, which reach the entries. */
function numbered(name: fc.Arbitrary<string>): fc.Arbitrary<readonly object[]> {
  const locale = fc.constantFrom('en', 'fr')
  const base = fc.constantFrom('x', null)
  const patched = fc.dictionary(name, fc.tuple(operation, value), { maxKeys: 3 })
  const update = fc.tuple(documentId, patched, locale, base).map(([id, sides, language, on]) => ({
    op: 'update',
    type: 'note',
    documentId: id,
    locale: language,
    base: on,
    patch: Object.fromEntries(Object.entries(sides).map(([one, [patch]]) => [one, patch])),
    seen: Object.fromEntries(Object.entries(sides).map(([one, [, seen]]) => [one, seen])),
  }))
  const type = fc.constant('note')
  const deletion = fc.record({ op: fc.constant('delete'), type, documentId, locale, base })
  const mutation = fc.oneof({ arbitrary: update, weight: 5 }, deletion, fc.constant({ op: 'skip' }))
  return fc
    .array(mutation, { maxLength: 5 })
    .map((mutations) => mutations.map((one, index) => ({ n: index + 1, ...one })))
}

function anyMutation(name: fc.Arbitrary<string>): fc.Arbitrary<object> {
  const number = fc.oneof(fc.constantFrom(1, 1, 2), fc.integer(), word)
  return fc.record(
    {
      n: number,
      op: fc.constantFrom('create', 'update', 'update', 'delete', 'publish', 'skip', 'x'),
      type: fc.constantFrom('note', 'note', 'note', 'node', 'secret', '__proto__'),
      documentId,
      locale: fc.constantFrom('en', 'fr', '*', 'xx'),
      depends: fc.array(number, { maxLength: 2 }),
      base: fc.oneof(word, fc.constant(null), fc.record({ n: number })),
      patch: fc.dictionary(name, operation, { maxKeys: 4 }),
      seen: fc.dictionary(name, value, { maxKeys: 4 }),
    },
    { requiredKeys: ['n', 'op'] },
  )
}

function withDepths(line: string | undefined): string {
  return (line ?? 'null').replaceAll(/"@depth:(\d+)"/g, (_text, depth: string) => {
    const half = Math.floor(Number(depth) / 2)
    return `${'[{"a":'.repeat(half)}1${'}]'.repeat(half)}`
  })
}
