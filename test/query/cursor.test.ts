import { expect } from 'chai'
import * as fc from 'fast-check'
import { parseCursor, toCursor } from '../../src/query/cursor.ts'
import type { SortKey } from '../../src/query/query.ts'
import { CmsError } from '../../src/base/errors.ts'
import { Decimal } from '../../src/schema/values/decimal.ts'
import type { ScalarPlan } from '../../src/schema/plan.ts'
import { thrownBy } from '../fixtures/errors.ts'
import { planOf } from '../fixtures/plans.ts'

const plan = planOf()

function keyOf(name: string, direction: SortKey['direction'] = 'asc'): SortKey {
  const attribute = plan.members.get(name)
  if (attribute?.kind !== 'scalar') throw new Error(`${name} is no scalar`)
  return { through: [], attribute, direction }
}

const TEXT = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))
const DATE = fc.date({ noInvalidDate: true })

/** Stored values of each sortable type. */
const STORED: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: TEXT,
  text: TEXT,
  richtext: TEXT,
  email: TEXT,
  uid: TEXT,
  enumeration: fc.constantFrom('one', 'two', ''),
  integer: fc.integer(),
  biginteger: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  decimal: fc
    .tuple(
      fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }),
      fc.integer({ min: -6176, max: 6111 }),
    )
    .map(([digits, exponent]) => Decimal.parse(`${digits}E${exponent}`)),
  float: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  boolean: fc.boolean(),
  date: fc
    .date({ noInvalidDate: true, min: new Date('0000-01-01'), max: new Date('9999-12-31') })
    .map((date) => new Date(date.toISOString().slice(0, 10))),
  time: fc
    .integer({ min: 0, max: 86_399_999 })
    .map((ms) => new Date(ms).toISOString().slice(11, 23)),
  datetime: DATE,
  timestamp: DATE,
  documentId: TEXT,
  createdAt: DATE,
  id: fc.integer({ min: 1 }),
}

const plainly = (value: unknown): unknown => (value instanceof Decimal ? value.text : value)

describe('cursor', () => {
  for (const [name, arbitrary] of Object.entries(STORED)) {
    it(`keeps the values of ${name}, including null`, () => {
      const sort = [keyOf(name, 'desc'), keyOf('id')]
      fc.assert(
        fc.property(fc.option(arbitrary), fc.integer({ min: 1 }), (value, id) => {
          const read = parseCursor(toCursor(sort, [value, id]), sort)
          expect(read?.map(plainly)).to.deep.equal([plainly(value), id])
        }),
      )
    })
  }

  it('covers every sortable type', () => {
    const sortable = [...plan.members.values()].filter(
      (member): member is ScalarPlan =>
        member.kind === 'scalar' &&
        !member.private &&
        !['json', 'blocks', 'location'].includes(member.type),
    )
    const covered = new Set(Object.keys(STORED).map((name) => keyOf(name).attribute.type))
    expect([...covered]).to.include.members(sortable.map(({ type }) => type))
  })

  it('needs no URL encoding', () => {
    expect(toCursor([keyOf('string')], ['é?&=+ /%\n'])).to.match(/^[\w-]+$/)
  })

  it('is null for an empty text, the first page', () => {
    expect(parseCursor('', [keyOf('string')])).to.equal(null)
  })

  const sort = [keyOf('integer'), keyOf('id')]
  const encoded = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url')
  const refused: readonly (readonly [string, unknown])[] = [
    ['a text that is not a cursor', 'hello'],
    ['a list', ['a']],
    ['an object', { $gt: '' }],
    ['undefined', undefined],
    ['JSON that is not an array', encoded({ a: 1 })],
    ['too few values', encoded(['integer:asc,id:asc', ['1']])],
    ['too many values', encoded(['integer:asc,id:asc', ['1', '2', '3']])],
    ['a value of another type', encoded(['integer:asc,id:asc', ['abc', '2']])],
    ['a number instead of text', encoded(['integer:asc,id:asc', [1, 2]])],
    ['an operator as a value', encoded(['integer:asc,id:asc', [{ $gt: 0 }, '2']])],
    ['a cursor of another direction', toCursor([keyOf('integer', 'desc'), keyOf('id')], [1, 2])],
    ['a cursor of another attribute', toCursor([keyOf('float'), keyOf('id')], [1, 2])],
    ['a truncated cursor', toCursor(sort, [1, 2]).slice(0, -3)],
  ]
  for (const [label, input] of refused) {
    it(`refuses ${label}`, () => {
      const error = thrownBy(() => parseCursor(input, sort))
      expect([error.status, error.name]).to.deep.equal([400, 'ValidationError'])
      expect(error.message).to.match(/^pagination\[cursor\]: /)
    })
  }

  for (const name of ['json', 'blocks']) {
    it(`refuses a sort by ${name}, even on the first page`, () => {
      const error = thrownBy(() => parseCursor('', [keyOf(name), keyOf('id')]))
      expect(error.message).to.equal(`pagination[cursor]: no cursor in an order by ${name}`)
    })
  }

  it('throws only errors with status 400 for tampered cursors', () => {
    const names = Object.keys(STORED)
    const tampered = fc.oneof(
      fc.string(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      fc
        .tuple(fc.constantFrom(...names), fc.array(fc.oneof(fc.jsonValue(), fc.string())))
        .map(([name, values]) => encoded([`${name}:asc,id:asc`, values])),
      fc
        .tuple(fc.constantFrom(...names), fc.jsonValue())
        .map(([name, value]) => encoded([`${name}:asc,id:asc`, [value, '1']])),
      fc.anything(),
    )
    fc.assert(
      fc.property(fc.constantFrom(...names), tampered, (name, input) => {
        try {
          parseCursor(input, [keyOf(name), keyOf('id')])
        } catch (error) {
          expect(error).to.be.instanceOf(CmsError)
          expect(error).to.include({ status: 400, name: 'ValidationError' })
        }
      }),
      { numRuns: 500 },
    )
  })
})
