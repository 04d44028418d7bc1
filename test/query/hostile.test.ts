import { expect } from 'chai'
import * as fc from 'fast-check'
import { CmsError } from '../../src/base/errors.ts'
import { readQuery } from '../../src/http/body/read-request.ts'
import { translateFilter } from '../../src/mongo/read/translate-filter.ts'
import { buildFind } from '../../src/mongo/read/build-find.ts'
import { parseQuery } from '../../src/query/parse-query.ts'
import { OPERATORS, type Query } from '../../src/query/query.ts'
import type { Data } from '../../src/schema/definition.ts'
import { thrownBy } from '../fixtures/errors.ts'
import { planOf } from '../fixtures/plans.ts'
import { rulesWith } from '../fixtures/rules.ts'

const plan = planOf({ localized: true, draftAndPublish: true })
const rules = rulesWith('en', 'fr')

const parse = (query: Data): Query => parseQuery(query, plan, rules)
const parseText = (text: string): Query => parse(readQuery(text))

/** The only operators that our find commands contain. */
const OURS: ReadonlySet<string> = new Set([
  '$and',
  '$or',
  '$nor',
  '$not',
  '$eq',
  '$ne',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$in',
  '$nin',
  '$regex',
  '$options',
  '$elemMatch',
])
const LOGIC: ReadonlySet<string> = new Set(['$and', '$or', '$nor'])
const NAMES: ReadonlySet<string> = new Set([...plan.members.keys(), '_id', 'status', 'locale'])

/** Allows only names and lists of conditions, and only our operators below a name. */
function assertConditions(conditions: unknown): void {
  for (const [key, value] of Object.entries(conditions as Data)) {
    if (LOGIC.has(key)) {
      expect(value, key).to.be.an('array')
      for (const branch of value as unknown[]) assertConditions(branch)
    } else {
      expect([...NAMES], `the key ${key}`).to.include(key)
      assertOperators(value)
    }
  }
}

function assertOperators(value: unknown): void {
  if (value === null || typeof value !== 'object') return // an equality that `matchVersions` added
  for (const [operator, operand] of Object.entries(value)) {
    expect([...OURS], `the operator ${operator}`).to.include(operator)
    if (operator === '$not' || operator === '$elemMatch') assertOperators(operand)
    if (operator === '$regex' || operator === '$options') expect(operand).to.be.a('string')
  }
}

describe('hostile queries', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['a MongoDB operator at the root', 'filters[$where]=sleep(1000)'],
    ['$expr at the root', 'filters[$expr][$eq][]=1&filters[$expr][$eq][]=1'],
    ['$function', 'filters[$function][body]=return true'],
    ['$jsonSchema', 'filters[$jsonSchema][bsonType]=object'],
    ['$text', 'filters[$text][$search]=x'],
    ['$comment', 'filters[$comment]=x'],
    ['$nor, which the API does not support', 'filters[$nor][0][string]=a'],
    ['$regex on an attribute', 'filters[string][$regex]=.*'],
    ['$regex with options', 'filters[string][$regex]=.*&filters[string][$options]=i'],
    ['$exists', 'filters[string][$exists]=true'],
    ['$type', 'filters[string][$type]=2'],
    ['$elemMatch', 'filters[json][$elemMatch][a]=1'],
    ['$where in an attribute', 'filters[string][$where]=1'],
    ['an operator as an operand', 'filters[string][$eq][$gt]='],
    ['an operator in a list', 'filters[string][$in][0][$gt]='],
    ['an operator below $not', 'filters[string][$not][$regex]=a'],
    [
      'an operator in $between',
      'filters[integer][$between][0][$gt]=1&filters[integer][$between][1]=2',
    ],
    ['a path into another attribute', 'filters[json.a]=1'],
    ['the _id of MongoDB', 'filters[_id]=x'],
    ['the stored status', 'filters[status]=draft'],
    ['the password', 'filters[password][$startsWith]=a'],
    ['a private attribute', 'filters[secret][$startsWith]=a'],
    ['a private attribute by search', 'filters[$and][0][$not][secret][$null]=true'],
    ['a private attribute by sort', 'sort=secret'],
    ['a private attribute by fields', 'fields=secret'],
    ['$meta in sort', 'sort[string][$meta]=textScore'],
    ['an operator in sort', 'sort=$natural'],
    ['the _id in sort', 'sort=_id'],
    ['an expression in fields', 'fields[0]=$string'],
    ['an object in fields', 'fields[string][$slice]=1'],
    ['an operator as a page', 'pagination[page][$gt]=1'],
    ['an operator as a status', 'status[$ne]=draft'],
    ['an operator as a locale', 'locale[$ne]=en'],
    ['an operator as a search', '_q[$regex]=.*'],
    ['a list of conditions as an object', 'filters[$or][string]=a'],
    ['nesting of 21 levels', `filters${'[$not]'.repeat(21)}[string]=a`],
    ['nesting of 5,000 levels', `filters${'[$not]'.repeat(5000)}[string]=a`],
    ['1,001 parameters', Array.from({ length: 1001 }, () => 'a=1').join('&')],
    [
      '201 conditions',
      Array.from({ length: 201 }, (_, i) => `filters[$or][${i}][string]=a`).join('&'),
    ],
    ['1,001 values', `filters[string][$in][1001]=a&${'filters[string][$in][]=a&'.repeat(999)}`],
    ['a pattern of 257 characters', `filters[string][$contains]=${'a'.repeat(257)}`],
    ['an expensive pattern of 300 characters', `filters[string][$eqi]=${'(a+)+'.repeat(60)}`],
    ['a search of 257 characters', `_q=${'a'.repeat(257)}`],
    ['a NUL character', 'filters[string]=a%00b'],
    ['a NUL character in a search', '_q=a%00b'],
    ['a NUL character in a list', 'filters[string][$in][]=a%00b'],
    ['a NUL character in JSON', 'filters[json]=%22a%00%22'],
  ]
  for (const [label, text] of refused) {
    it(`refuses ${label}`, () => {
      expect(thrownBy(() => parseText(text)).status).to.equal(400)
    })
  }

  for (const [label, value, operand] of [
    ['a $-key in JSON', '{"$gt":""}', { '%:$gt': '' }],
    ['a deep $-key in JSON', '{"a":[{"$where":"1"}]}', { a: [{ '%:$where': '1' }] }],
  ] as const) {
    it(`treats ${label} as a plain name`, () => {
      const { filter } = parseText(`filters[json]=${value}`)
      expect(filter).to.deep.include({ kind: 'compare', operator: 'eq', operand })
    })
  }

  const ignored: readonly (readonly [string, string])[] = [
    ['__proto__ at the root', '__proto__[page]=1'],
    ['__proto__ in filters', 'filters[__proto__][string]=a'],
    ['constructor at the root', 'constructor[prototype][page]=1'],
    ['constructor in filters', 'filters[constructor][prototype][string]=a'],
    ['__proto__ in pagination', 'pagination[__proto__][page]=7'],
    ['an inherited name in filters', 'filters[toString]=a'],
  ]
  for (const [label, text] of ignored) {
    it(`ignores ${label}`, () => {
      // The reader contains functions, which never compare equal.
      expect({ ...parseText(text), reader: null }).to.deep.equal({ ...parse({}), reader: null })
      expect(Object.keys(Object.prototype)).to.deep.equal([])
    })
  }

  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    it(`does not accept ${name} as an attribute, operator, direction or parameter`, () => {
      const own = (value: unknown): Data => Object.fromEntries([[name, value]])
      const queries: readonly Data[] = [
        { filters: own('a') },
        { filters: { string: own('a') } },
        { filters: { string: Object.fromEntries([[`$${name}`, 'a']]) } },
        { sort: name },
        { sort: own('asc') },
        { sort: `string:${name}` },
        { fields: name },
        { status: name },
        { pagination: { withCount: name } },
      ]
      for (const query of queries) expect(thrownBy(() => parse(query)).status).to.equal(400)
    })
  }

  it('builds a find with only our operators from any input, or refuses it', () => {
    fc.assert(
      fc.property(hostileQuery(), (input) => {
        let query: Query
        try {
          query = parse(input)
        } catch (error) {
          expect(error).to.be.instanceOf(CmsError)
          expect(error).to.have.property('status', 400)
          return
        }
        const match = query.filter === null ? {} : translateFilter(query.filter)
        const find = buildFind(query, { lookups: [], match })
        assertConditions(find.filter)
        assertConditions(find.conditions.match)
        for (const name of Object.keys({ ...find.order.sort, ...find.projection })) {
          expect([...NAMES]).to.include(name)
        }
        expect(find.projection).to.not.have.any.keys('secret', 'password')
        for (const value of Object.values(find.order.sort)) expect([1, -1]).to.include(value)
        expect(find.limit).to.be.within(1, 101)
        expect(find.skip).to.be.at.least(0)
      }),
      { numRuns: 3000 },
    )
  })
})

/** Nested lists, objects and texts of keywords from the API, MongoDB and JavaScript. */
function hostileQuery(): fc.Arbitrary<Data> {
  const attribute = fc.constantFrom(...plan.members.keys(), 'nope', '_id', 'status', 'a.b')
  const operator = fc.constantFrom(
    ...OPERATORS.map((name) => `$${name}`),
    '$and',
    '$or',
    '$not',
    '$where',
    '$expr',
    '$regex',
    '$exists',
    '$elemMatch',
    '$function',
  )
  const odd = fc.constantFrom('__proto__', 'constructor', 'toString', '', '0', '$', '$$ROOT')
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('1', 'true', '2024-01-01', '10:20:30', 'a', '$string', '{"$gt":""}', '*', 'id'),
  )
  const { condition } = fc.letrec<{ condition: unknown }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      text,
      fc.array(tie('condition'), { maxLength: 3 }),
      fc.dictionary(attribute, tie('condition'), { maxKeys: 3 }),
      fc.dictionary(operator, tie('condition'), { maxKeys: 2 }),
      fc.dictionary(fc.oneof(attribute, operator, odd), tie('condition'), { maxKeys: 3 }),
      fc.constantFrom(null, 1, true),
    ),
  }))
  const wellFormed = fc
    .tuple(attribute, operator, text)
    .map(([name, key, value]) => ({ [name]: { [key]: value } }))
  return fc.record(
    {
      filters: fc.oneof(condition, wellFormed),
      sort: fc.oneof(
        condition,
        attribute,
        fc.dictionary(attribute, fc.constantFrom('asc', 'desc')),
      ),
      fields: fc.oneof(condition, attribute, fc.array(attribute)),
      pagination: fc.oneof(
        condition,
        fc.record(
          {
            page: text,
            pageSize: text,
            start: text,
            limit: text,
            cursor: fc.oneof(text, fc.constant('')),
            withCount: text,
          },
          { requiredKeys: [] },
        ),
      ),
      status: fc.oneof(condition, fc.constantFrom('draft', 'published')),
      locale: fc.oneof(condition, fc.constantFrom('en', 'fr', '*')),
      _q: fc.oneof(condition, text),
    },
    { requiredKeys: [] },
  )
}
