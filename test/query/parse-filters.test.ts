import { expect } from 'chai'
import { FILTER_LIMITS, parseFilters } from '../../src/query/parse-filters.ts'
import { parseSearch } from '../../src/query/parse-search.ts'
import { type Filter, OPERATORS, QUERY_LIMITS } from '../../src/query/query.ts'
import { Decimal } from '../../src/schema/values/decimal.ts'
import { thrownBy } from '../fixtures/errors.ts'
import { planOf } from '../fixtures/plans.ts'

const plan = planOf()

/** Shows a filter without its plans: `['string', 'eq', 'a']`, `{ all: [...] }`. */
function shape(filter: Filter | null): unknown {
  if (filter === null) return null
  switch (filter.kind) {
    case 'compare':
      return [filter.attribute.name, filter.operator, filter.operand]
    case 'not':
      return { not: shape(filter.of) }
    case 'all':
    case 'any':
      return { [filter.kind]: filter.of.map(shape) }
    case 'within':
      return { within: filter.component.name, of: shape(filter.of) }
    case 'related':
      return { related: filter.relation.name, of: shape(filter.of) }
  }
}

const parse = (input: unknown): unknown => shape(parseFilters(input, plan, { mayRead: () => true }))

/** Builds `$not: { $not: … }` of the given depth. */
const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce((inner) => ({ $not: inner }), { string: 'a' })

describe('parseFilters', () => {
  const accepted: readonly (readonly [string, unknown, unknown])[] = [
    ['undefined', undefined, null],
    ['an empty object', {}, null],
    ['a plain value as $eq', { string: 'a' }, ['string', 'eq', 'a']],
    ['a list as $in', { string: ['a', 'b'] }, ['string', 'in', ['a', 'b']]],
    ['a list in $eq as $in', { integer: { $eq: ['1', '2'] } }, ['integer', 'in', [1, 2]]],
    ['a single value in $in as a list', { string: { $in: 'a,b' } }, ['string', 'in', ['a,b']]],
    [
      'several attributes as $and',
      { string: 'a', integer: '1' },
      {
        all: [
          ['string', 'eq', 'a'],
          ['integer', 'eq', 1],
        ],
      },
    ],
    [
      'several operators on one attribute as $and',
      { integer: { $gt: '1', $lt: '5' } },
      {
        all: [
          ['integer', 'gt', 1],
          ['integer', 'lt', 5],
        ],
      },
    ],
    [
      '$and, $or and $not, nested',
      { $or: [{ string: 'a' }, { $and: [{ integer: '1' }, { $not: { boolean: 't' } }] }] },
      {
        any: [
          ['string', 'eq', 'a'],
          { all: [['integer', 'eq', 1], { not: ['boolean', 'eq', true] }] },
        ],
      },
    ],
    ['$not in an attribute', { string: { $not: { $eq: 'a' } } }, { not: ['string', 'eq', 'a'] }],
    ['$not of a plain value', { string: { $not: 'a' } }, { not: ['string', 'eq', 'a'] }],
    ['the id', { id: '7' }, ['id', 'eq', 7]],
    ['the documentId', { documentId: { $ne: 'x' } }, ['documentId', 'ne', 'x']],
    [
      'a system timestamp',
      { createdAt: { $gte: '2024-01-15' } },
      ['createdAt', 'gte', new Date('2024-01-15')],
    ],
    ['$eqi on a number as $eq', { integer: { $eqi: '5' } }, ['integer', 'eq', 5]],
    ['$nei on a number as $ne', { integer: { $nei: '5' } }, ['integer', 'ne', 5]],
    [
      'a list in $contains as $or',
      { string: { $contains: ['a', 'b'] } },
      {
        any: [
          ['string', 'contains', 'a'],
          ['string', 'contains', 'b'],
        ],
      },
    ],
    ['a list of one value as that value', { integer: { $lt: ['5'] } }, ['integer', 'lt', 5]],
    ...(['lt', 'lte', 'gt', 'gte', 'ne'] as const).map(
      (operator) =>
        [
          `a list given to $${operator} as any of`,
          { integer: { [`$${operator}`]: ['1', '2'] } },
          {
            any: [
              ['integer', operator, 1],
              ['integer', operator, 2],
            ],
          },
        ] as const,
    ),
    [
      'a list in $nei as $or',
      { string: { $nei: ['a', 'b'] } },
      {
        any: [
          ['string', 'nei', 'a'],
          ['string', 'nei', 'b'],
        ],
      },
    ],
    [
      'a list in $null as $or',
      { string: { $null: ['true', 'false'] } },
      {
        any: [
          ['string', 'null', true],
          ['string', 'null', false],
        ],
      },
    ],
    [
      'a list within $or as $and',
      { $or: [[{ string: 'a' }, { integer: '1' }], { string: 'b' }] },
      {
        any: [
          {
            all: [
              ['string', 'eq', 'a'],
              ['integer', 'eq', 1],
            ],
          },
          ['string', 'eq', 'b'],
        ],
      },
    ],
    [
      'a biginteger beyond 2^53',
      { biginteger: '9007199254740993' },
      ['biginteger', 'eq', 9007199254740993n],
    ],
    ['$between', { integer: { $between: ['1', '9'] } }, ['integer', 'between', [1, 9]]],
    ['$null', { string: { $null: 'true' } }, ['string', 'null', true]],
    ['$notNull', { json: { $notNull: '0' } }, ['json', 'notNull', false]],
    ['twenty levels', nested(19), undefined],
  ]
  for (const [label, input, expected] of accepted) {
    it(`reads ${label}`, () => {
      const parsed = parse(input)
      if (expected !== undefined) expect(parsed).to.deep.equal(expected)
    })
  }

  it('keeps all digits of a decimal', () => {
    const filter = parseFilters({ decimal: '0.10000000000000000000000001' }, plan, {
      mayRead: () => true,
    })
    expect(filter).to.have.property('operand').that.is.instanceOf(Decimal)
    expect(String((filter as { operand: Decimal }).operand)).to.equal(
      '0.10000000000000000000000001',
    )
  })

  it('supports 26 operators', () => {
    expect(OPERATORS.length + ['$and', '$or', '$not'].length).to.equal(26)
  })

  const key = (name: string, path: string | null): object => ({
    key: name,
    path,
    source: 'query',
    param: 'filters',
  })
  const refusedKeys: readonly (readonly [string, unknown, string, object])[] = [
    ['an unknown attribute', { nope: '1' }, 'Invalid key nope', key('nope', null)],
    [
      'an unknown operator',
      { string: { $foo: 'x' } },
      'Invalid key $foo at string',
      key('$foo', 'string'),
    ],
    ['an operator at the root', { $foo: ['x'] }, 'Invalid key $foo', key('$foo', null)],
    [
      'an operator without $',
      { string: { eq: 'x' } },
      'Invalid key eq at string; did you mean $eq?',
      key('eq', 'string'),
    ],
    [
      '$and in an attribute',
      { integer: { $and: ['1'] } },
      'Invalid key $and at integer',
      key('$and', 'integer'),
    ],
    ['a key inside json', { json: { k: 'v' } }, 'Invalid key k at json', key('k', 'json')],
    ['a private attribute', { secret: 'x' }, 'Invalid key secret', key('secret', 'secret')],
    ['a password', { password: 'x' }, 'Invalid key password', key('password', 'password')],
    [
      'a private attribute inside $or',
      { $or: [{ secret: 'x' }] },
      'Invalid key secret',
      key('secret', 'secret'),
    ],
    [
      'creator fields',
      { createdBy: { id: '1' } },
      'Invalid key createdBy',
      key('createdBy', 'createdBy'),
    ],
    [
      'a dotted path',
      { 'string.x': '1' },
      'Invalid key string.x; did you mean string?',
      key('string.x', null),
    ],
  ]
  for (const [label, input, message, details] of refusedKeys) {
    it(`refuses ${label}`, () => {
      const error = thrownBy(() => parse(input))
      expect([error.status, error.name, error.message]).to.deep.equal([
        400,
        'ValidationError',
        message,
      ])
      expect(error.details).to.deep.equal(details)
    })
  }

  const refusedValues: readonly (readonly [string, unknown, RegExp])[] = [
    ['filters given as text', 'x', /must be an object/],
    ['filters given as a list', [{ string: 'a' }], /^filters: /],
    ['$or without a list', { $or: { string: 'a' } }, /^filters\[\$or\]: /],
    ['$or without a branch', { $or: [] }, /^filters\[\$or\]: /],
    ['$and with an empty text', { $and: [''] }, /^filters\[\$and\]\[0\]: /],
    ['$not of a text', { $not: 'a' }, /^filters\[\$not\]: /],
    ['an attribute without a condition', { string: {} }, /^filters\[string\]: /],
    ['text on an integer', { integer: 'abc' }, /^filters\[integer\]\[\$eq\]: /],
    ['an empty text on an integer', { integer: '' }, /^filters\[integer\]\[\$eq\]: /],
    ['a fraction on an integer', { integer: '10.5' }, /^filters\[integer\]\[\$eq\]: /],
    ['an integer out of range', { integer: '99999999999' }, /^filters\[integer\]\[\$eq\]: /],
    [
      'an invalid value in a list',
      { integer: { $in: ['1', 'x'] } },
      /^filters\[integer\]\[\$in\]\[1\]: /,
    ],
    ['text on the id', { id: 'abc' }, /^filters\[id\]\[\$eq\]: /],
    ['a day that does not exist', { date: '2024-02-31' }, /^filters\[date\]\[\$eq\]: /],
    ['an invalid time', { time: '99:99' }, /^filters\[time\]\[\$eq\]: /],
    ['an invalid boolean', { boolean: 'maybe' }, /^filters\[boolean\]\[\$eq\]: /],
    ['$null of a text', { string: { $null: 'maybe' } }, /^filters\[string\]\[\$null\]: /],
    ['$null of an empty text', { string: { $null: '' } }, /^filters\[string\]\[\$null\]: /],
    [
      '$contains on a number',
      { integer: { $contains: '1' } },
      /^filters\[integer\]\[\$contains\]: /,
    ],
    ['$contains on json', { json: { $contains: 'x' } }, /^filters\[json\]\[\$contains\]: /],
    ['$lt on json', { json: { $lt: '1' } }, /^filters\[json\]\[\$lt\]: /],
    [
      'an invalid value in a list of $lt',
      { integer: { $lt: ['1', 'x'] } },
      /^filters\[integer\]\[\$lt\]\[1\]: /,
    ],
    [
      'a list in a list of $ne',
      { string: { $ne: ['a', ['b']] } },
      /^filters\[string\]\[\$ne\]\[1\]: /,
    ],
    [
      'a list with too many values',
      { string: { $ne: Array.from({ length: 1001 }, () => 'a') } },
      /at most 1000 values/,
    ],
    ['an empty branch', { $or: [[]] }, /^filters\[\$or\]\[0\]: /],
    ['a text in a branch', { $and: [['x']] }, /^filters\[\$and\]\[0\]\[0\]: /],
    [
      '$between with one value',
      { integer: { $between: ['1'] } },
      /^filters\[integer\]\[\$between\]: /,
    ],
    [
      '$between with three values',
      { integer: { $between: ['1', '2', '3'] } },
      /^filters\[integer\]\[\$between\]: /,
    ],
    ['an object as an operand', { string: { $eq: { $gt: '' } } }, /^filters\[string\]\[\$eq\]: /],
    [
      'an object in a list',
      { string: { $in: [{ $gt: '' }] } },
      /^filters\[string\]\[\$in\]\[0\]: /,
    ],
    ['a NUL character', { string: { $eq: 'a\0b' } }, /^filters\[string\]\[\$eq\]: /],
    ['nesting that is too deep', nested(FILTER_LIMITS.depth + 1), /nested deeper than 20/],
    [
      'too many conditions',
      { $or: Array.from({ length: FILTER_LIMITS.conditions + 1 }, () => ({ string: 'a' })) },
      /more than 200 conditions/,
    ],
    [
      'a list that is too long',
      { string: { $in: Array.from({ length: QUERY_LIMITS.listItems + 1 }, () => 'a') } },
      /at most 1000 values/,
    ],
    [
      'a search text that is too long',
      { string: { $contains: 'a'.repeat(QUERY_LIMITS.patternLength + 1) } },
      /at most 256 characters/,
    ],
  ]
  for (const [label, input, message] of refusedValues) {
    it(`refuses ${label} and reports the path`, () => {
      const error = thrownBy(() => parse(input))
      expect([error.status, error.name]).to.deep.equal([400, 'ValidationError'])
      expect(error.message).to.match(message)
    })
  }
})

describe('parseSearch', () => {
  const search = (input: unknown): unknown => shape(parseSearch(input, plan))

  it('searches text in text attributes and the documentId only', () => {
    const { any } = search('abc') as { any: [string, string, string][] }
    expect(any.map(([name]) => name)).to.include.members([
      'documentId',
      'string',
      'richtext',
      'uid',
    ])
    expect(any.map(([name]) => name)).not.to.include.members([
      'secret',
      'password',
      'date',
      'boolean',
    ])
    expect(new Set(any.map(([, operator]) => operator))).to.deep.equal(new Set(['containsi']))
  })

  it('searches numbers in number attributes as well', () => {
    const { any } = search('7') as { any: [string, string, unknown][] }
    expect(any).to.deep.include.members([
      ['id', 'eq', 7],
      ['integer', 'eq', 7],
      ['float', 'eq', 7],
    ])
  })

  it('returns null for an empty search and refuses other types', () => {
    expect(search(undefined)).to.equal(null)
    expect(search('')).to.equal(null)
    expect(thrownBy(() => search(['a'])).message).to.match(/^_q: /)
  })
})
