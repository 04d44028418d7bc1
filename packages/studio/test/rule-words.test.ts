import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Attributes } from '../src/api/attributes.ts'
import {
  type FilterWord,
  operatorsOf,
  takesList,
  takesValue,
} from '../src/screens/list/filter-words.ts'
import { parseRule, textOfRule } from '../src/screens/settings/rules/edited-rules.ts'
import {
  conditionOf,
  isData,
  readWhere,
  stampOf,
  takesStamp,
  wordOf,
  wordOfStamp,
  writeWhere,
} from '../src/screens/settings/rules/rule-words.ts'

const ATTRIBUTES: Attributes = {
  title: { type: 'string' },
  views: { type: 'integer' },
  copies: { type: 'biginteger' },
  price: { type: 'decimal' },
  weight: { type: 'float' },
  blocked: { type: 'boolean' },
  day: { type: 'date' },
  opens: { type: 'time' },
  begins: { type: 'datetime' },
  stamped: { type: 'timestamp' },
  kind: { type: 'enumeration', enum: ['novel', 'poem'] },
  owner: { type: 'relation', relation: 'manyToOne', target: 'api::person.person' },
  members: { type: 'relation', relation: 'manyToMany', target: 'api::person.person' },
  cover: { type: 'media' },
  extra: { type: 'json' },
}

const ROWS: readonly (readonly [object, FilterWord])[] = [
  [{ owner: '$user' }, { at: 'owner', is: 'is', variable: '$user' }],
  [{ owner: { $eq: '$user.team' } }, { at: 'owner', is: 'is', variable: '$user.team' }],
  [{ owner: { documentId: 'abc' } }, { at: 'owner', is: 'is', to: 'abc' }],
  [{ begins: { $lt: '$now' } }, { at: 'begins', is: 'before', variable: '$now' }],
  [{ blocked: false }, { at: 'blocked', is: 'is', to: 'false' }],
  [{ title: '$$free' }, { at: 'title', is: 'is', to: '$free' }],
  [{ views: { $gte: 3 } }, { at: 'views', is: 'atLeast', to: '3' }],
  [{ kind: { $in: ['poem', '$$x'] } }, { at: 'kind', is: 'isOneOf', among: ['poem', '$x'] }],
  [{ kind: { $notIn: ['poem'] } }, { at: 'kind', is: 'isNoneOf', among: ['poem'] }],
  [{ owner: { $null: true } }, { at: 'owner', is: 'isEmpty' }],
]

const UNSHOWN: readonly unknown[] = [
  { title: { $eqi: 'a' } },
  { title: { $gt: 'a', $lt: 'b' } },
  { title: ['a', 'b'] },
  { title: '$someone' },
  { title: { $in: ['a'] } },
  { kind: { $in: [] } },
  { kind: { $in: 'poem' } },
  { kind: { $in: ['poem', 1] } },
  { kind: { $in: ['$user.kind'] } },
  { title: null },
  { owner: { name: 'Ada' } },
  { owner: { $null: false } },
  { blocked: 'maybe' },
  { begins: { $gt: 'yesterday' } },
  { missing: 'a' },
  { $or: [{ blocked: true }] },
  { title: 'a', blocked: true },
  {},
  'title',
  null,
]

describe('rules in words', () => {
  for (const [condition, word] of ROWS) {
    it(`shows ${JSON.stringify(condition)}`, () => {
      expect(wordOf(condition, ATTRIBUTES)).to.deep.equal(word)
    })
  }

  for (const condition of UNSHOWN) {
    it(`leaves ${JSON.stringify(condition)} to the JSON`, () => {
      expect(wordOf(condition, ATTRIBUTES)).to.equal(null)
    })
  }

  it('reads each condition that it writes', () => {
    fc.assert(
      fc.property(anyWord, (word) => {
        expect(wordOf(conditionOf(word, ATTRIBUTES), ATTRIBUTES)).to.deep.equal(word)
      }),
    )
  })

  it('never shows a condition as another one', () => {
    fc.assert(
      fc.property(anyCondition, (condition) => {
        const word = wordOf(condition, ATTRIBUTES)
        if (word === null) return
        expect(meaningOf(conditionOf(word, ATTRIBUTES))).to.deep.equal(meaningOf(condition))
      }),
    )
  })

  it('keeps the conditions that the form does not show', () => {
    fc.assert(
      fc.property(anyWhere, fc.boolean(), (where, adds) => {
        const { joined, of } = readWhere(where)
        const added = { title: 'added' }
        const written = writeWhere({ joined, of: adds ? [...of, added] : of })
        expect(readWhere(written)).to.deep.equal(
          of.length + Number(adds) === 0
            ? { joined: 'all', of: [] }
            : { joined, of: adds ? [...of, added] : of },
        )
      }),
    )
  })

  it('reads each value that the server is to set', () => {
    fc.assert(
      fc.property(anyStamp, (word) => {
        const value = stampOf(word, ATTRIBUTES)
        expect(wordOfStamp(word.at, value, ATTRIBUTES)).to.deep.equal(word)
      }),
    )
  })

  it('leaves lists and objects that the server sets to the JSON', () => {
    expect(wordOfStamp('members', ['a'], ATTRIBUTES)).to.equal(null)
    expect(wordOfStamp('owner', { connect: ['a'] }, ATTRIBUTES)).to.equal(null)
    expect(wordOfStamp('extra', 'a', ATTRIBUTES)).to.equal(null)
  })

  it('parses the JSON of a rule, and nothing else', () => {
    const rule = { action: 'api::note.note.find', where: { owner: '$user' }, fields: ['title'] }
    expect(parseRule(textOfRule(rule))).to.deep.equal(rule)
    for (const text of ['', '[]', '{}', '{"action":1}', '{"action":"a","fields":[1]}', '{"a']) {
      expect(parseRule(text), text).to.equal(null)
    }
  })
})

const VARIABLES = ['$user', '$user.team', '$user.teams.owner', '$now']

const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  title: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
  views: fc.integer().map(String),
  copies: fc.bigInt().map(String),
  price: fc.constantFrom('1', '1.50', '-3.25'),
  weight: fc.constantFrom('1', '0.5', '1e21'),
  blocked: fc.constantFrom('true', 'false'),
  day: fc.constantFrom('2026-01-31', '1999-12-01'),
  opens: fc.constantFrom('10:00:00', '23:59:59.999'),
  begins: fc.constantFrom('2026-01-31T12:00', '1999-12-01T00:30:15'),
  stamped: fc.constantFrom('2026-01-31T12:00', '1999-12-01T00:30:15'),
  kind: fc.constantFrom('novel', 'poem'),
  owner: fc.constantFrom('abc', 'n0tth1s'),
  members: fc.constantFrom('abc', 'n0tth1s'),
}

const anyOperand = (at: string): fc.Arbitrary<Pick<FilterWord, 'to' | 'variable'>> =>
  fc.oneof(
    (VALUES[at] ?? fc.constant('a')).map((to) => ({ to })),
    fc.constantFrom(...VARIABLES).map((variable) => ({ variable })),
  )

const anyWord: fc.Arbitrary<FilterWord> = fc
  .constantFrom(...Object.keys(ATTRIBUTES))
  .chain((at) => {
    const operators = operatorsOf(ATTRIBUTES[at] ?? { type: 'string' })
    return fc.tuple(fc.constantFrom(...operators), anyOperand(at)).map(([is, operand]) => ({
      at,
      is,
      ...(takesList(is)
        ? { among: [operand.to ?? operand.variable ?? ''] }
        : takesValue(is) && operand),
    }))
  })

const SETTABLE = Object.entries(ATTRIBUTES).filter(([, attribute]) => takesStamp(attribute))

const anyStamp: fc.Arbitrary<FilterWord> = fc
  .constantFrom(...SETTABLE.map(([name]) => name))
  .chain((at) =>
    fc.oneof(
      fc.constant<FilterWord>({ at, is: 'isEmpty' }),
      anyOperand(at).map((operand): FilterWord => ({ at, is: 'is', ...operand })),
    ),
  )

const anyScalar = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('true', 'false', '2026-01-31T12:00:00.000Z', '1769860800000', '010', '1.0'),
  fc.constantFrom(...VARIABLES, '$$a', '$', '$$', '$users', '$user.'),
)

const anyComparison = fc.oneof(
  anyScalar,
  fc.array(anyScalar, { maxLength: 2 }),
  fc.dictionary(
    fc.constantFrom('$eq', '$ne', '$gt', '$null', '$containsi', 'documentId', 'id', '$in'),
    fc.oneof(
      anyScalar,
      fc.array(anyScalar, { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('$eq', '$null'), anyScalar),
    ),
    { maxKeys: 2 },
  ),
)

const anyCondition = fc.dictionary(
  fc.constantFrom(...Object.keys(ATTRIBUTES), 'missing', '__proto__', '$not'),
  anyComparison,
  { maxKeys: 2 },
)

const anyWhere: fc.Arbitrary<Readonly<Record<string, unknown>> | undefined> = fc.oneof(
  fc.constant(undefined),
  anyCondition,
  fc.array(anyCondition, { minLength: 1, maxLength: 3 }).map((of) => ({ $and: of })),
  fc.array(anyCondition, { minLength: 1, maxLength: 3 }).map((of) => ({ $or: of })),
)

/** The comparison with texts as operands, because the server reads numbers and booleans as texts. */
function meaningOf(condition: unknown): unknown {
  const [[at, value] = ['', undefined]] = isData(condition) ? Object.entries(condition) : []
  const isReference = ATTRIBUTES[at]?.type === 'relation' && isData(value) && 'documentId' in value
  const compared = isReference && isData(value) ? value['documentId'] : value
  const [[operator, operand] = ['', undefined]] = isData(compared)
    ? Object.entries(compared)
    : [['$eq', compared] as const]
  return [at, operator, String(operand)]
}
