import { SCALAR_TYPES } from '@quire/schema/attributes'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { ValidationError } from '../../../src/base/errors.ts'
import { SCALAR_KINDS } from '../../../src/schema/values/attribute-kinds.ts'
import { Decimal } from '../../../src/schema/values/decimal.ts'
import type { ScalarType } from '../../../src/schema/definition.ts'
import { findJsonFault } from '../../../src/schema/values/json-values.ts'

const DATE_FORMAT = 'Invalid format, expected yyyy-MM-dd'
const DATETIME_FORMAT = 'Invalid format, expected a timestamp or an ISO date'
const TIME_FORMAT = 'Invalid time format, expected HH:mm:ss.SSS'

/** [type, operand, shown value] */
const OPERANDS: readonly [ScalarType, string, unknown][] = [
  ['string', '', ''],
  ['string', ' as sent ', ' as sent '],
  ['enumeration', 'no such value', 'no such value'],
  ['integer', '10', 10],
  ['integer', '1e1', 10],
  ['integer', ' 10 ', 10],
  ['integer', '-2147483648', -2147483648],
  ['float', '1.5e-7', 1.5e-7],
  ['decimal', '1.2300', 1.23],
  ['biginteger', '9007199254740993', '9007199254740993'],
  ['biginteger', '1e1', '10'],
  ['biginteger', '-9223372036854775808', '-9223372036854775808'],
  ['boolean', 'true', true],
  ['boolean', 't', true],
  ['boolean', '1', true],
  ['boolean', 'false', false],
  ['boolean', 'f', false],
  ['boolean', '0', false],
  ['date', '2024-02-29', '2024-02-29'],
  ['date', '2024-02-29T23:30:00-05:00', '2024-02-29'],
  ['datetime', '2024-02-29T10:00:00Z', '2024-02-29T10:00:00.000Z'],
  ['datetime', '2024-02-29T10:00:00+02:00', '2024-02-29T08:00:00.000Z'],
  ['datetime', '2024-02-29T10:00:00', '2024-02-29T10:00:00.000Z'],
  ['datetime', '2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['datetime', '1700000000000', '2023-11-14T22:13:20.000Z'],
  ['timestamp', '1700000000000', '1700000000000'],
  ['timestamp', '2024-02-29T10:00:00.000Z', '1709200800000'],
  ['time', '08:30:00', '08:30:00'],
  ['time', '08:30:00.5', '08:30:00.500'],
  ['json', '{"a":[1]}', { a: [1] }],
  ['json', '5', 5],
  ['json', 'plain', 'plain'],
  ['location', '{"latitude":52.5,"longitude":13.4}', { latitude: 52.5, longitude: 13.4 }],
]

const REFUSED: readonly [ScalarType, string, string | RegExp][] = [
  ['string', 'a\0b', /NUL/],
  ['integer', 'abc', 'Expected an integer, got "abc"'],
  ['integer', '', 'Expected an integer, got ""'],
  ['integer', '10.5', 'Expected an integer, got "10.5"'],
  ['integer', '2147483648', '"2147483648" does not fit an integer'],
  ['integer', 'Infinity', /Expected an integer/],
  ['float', 'x', 'Expected a number, got "x"'],
  ['float', '1e999', /Expected a number/],
  ['decimal', '1.2.3', /Expected a decimal number/],
  ['decimal', '1'.repeat(35), /34 digits/],
  ['biginteger', '9223372036854775808', /does not fit a biginteger/],
  ['biginteger', '1.5', /Expected an integer/],
  ['boolean', 'maybe', /Expected a boolean .* got "maybe"/],
  ['boolean', '', /Expected a boolean/],
  ['date', 'tomorrow', DATE_FORMAT],
  ['date', '2024-2-9', DATE_FORMAT],
  ['date', '2024-02-31', 'Invalid date'],
  ['datetime', 'tomorrow', DATETIME_FORMAT],
  ['datetime', '2024-02-31T10:00:00Z', DATETIME_FORMAT],
  ['datetime', '2024-02-29T24:00:00Z', DATETIME_FORMAT],
  ['datetime', '99999999999999999999', DATETIME_FORMAT],
  ['time', '08:30', TIME_FORMAT],
  ['time', '24:00:00', TIME_FORMAT],
  ['json', '{"a":{"__proto__":1}}', /a\.__proto__ must not be a key/],
]

describe('scalar kinds', () => {
  for (const [type, text, shown] of OPERANDS) {
    it(`${type}: reads ${JSON.stringify(text)} as an operand`, () => {
      const kind = SCALAR_KINDS[type]
      expect(kind.toJson(kind.fromQuery(text))).to.deep.equal(shown)
    })
  }

  for (const [type, text, message] of REFUSED) {
    it(`${type}: refuses ${JSON.stringify(text.slice(0, 30))}`, () => {
      expect(() => SCALAR_KINDS[type].fromQuery(text))
        .to.throw(ValidationError, message)
        .with.property('details')
        .that.deep.equals({})
    })
  }

  it('shortens a long operand in the message', () => {
    expect(() => SCALAR_KINDS.integer.fromQuery('x'.repeat(5000))).to.throw(/got "x{40}…"$/)
  })

  for (const type of SCALAR_TYPES) {
    it(`${type}: shows null as null`, () => {
      expect(SCALAR_KINDS[type].toJson(null)).to.equal(null)
      expect(SCALAR_KINDS[type].toJson(undefined)).to.equal(null)
    })
  }

  it('convert number objects of the database driver', () => {
    const stored = { toString: () => '12.50' }
    expect(SCALAR_KINDS.decimal.toJson(stored)).to.equal(12.5)
    expect(SCALAR_KINDS.biginteger.toJson({ toString: () => '9007199254740993' })).to.equal(
      '9007199254740993',
    )
  })

  it('show milliseconds of a time only if they are not zero', () => {
    expect(SCALAR_KINDS.time.toJson('10:20:30.000')).to.equal('10:20:30')
    expect(SCALAR_KINDS.time.toJson('10:20:30.500')).to.equal('10:20:30.500')
  })

  it('keep all digits of a decimal', () => {
    const stored = SCALAR_KINDS.decimal.fromQuery('0.1234567890123456789')
    expect(stored).to.be.instanceOf(Decimal)
    expect(String(stored)).to.equal('0.1234567890123456789')
  })
})

const pad = (value: number, length: number): string => String(value).padStart(length, '0')

const TEXT = fc.string().filter((text) => !text.includes('\0'))
const TIME = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59), fc.nat(999))
  .map(([h, m, s, ms]) => `${pad(h, 2)}:${pad(m, 2)}:${pad(s, 2)}.${pad(ms, 3)}`)
const MOMENT = fc.date({ noInvalidDate: true })
const JSON_VALUE = fc.jsonValue({ maxDepth: 4 }).filter((value) => findJsonFault(value) === null)

const DEGREES = (limit: number): fc.Arbitrary<number> =>
  fc.double({ min: -limit, max: limit, noNaN: true }).map((value) => value + 0)

/** Stored values of each type. */
const STORED = {
  string: TEXT,
  text: TEXT,
  richtext: TEXT,
  email: TEXT,
  password: TEXT,
  uid: TEXT,
  enumeration: TEXT,
  integer: fc.integer({ min: -2147483648, max: 2147483647 }),
  float: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  decimal: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => {
    return Decimal.parse(String(value))
  }),
  biginteger: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  boolean: fc.boolean(),
  date: fc
    .date({
      min: new Date('0000-01-01'),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    })
    .map((date) => new Date(`${date.toISOString().slice(0, 10)}T00:00:00.000Z`)),
  datetime: MOMENT,
  timestamp: MOMENT,
  time: TIME,
  json: JSON_VALUE,
  blocks: JSON_VALUE,
  location: fc
    .tuple(DEGREES(180), DEGREES(90))
    .map((coordinates) => ({ type: 'Point', coordinates })),
} satisfies Readonly<Record<ScalarType, fc.Arbitrary<unknown>>>

describe('a stored value', () => {
  for (const type of SCALAR_TYPES) {
    it(`${type}: survives a round trip through JSON and a query`, () => {
      const kind = SCALAR_KINDS[type]
      fc.assert(
        fc.property(STORED[type] as fc.Arbitrary<unknown>, (stored) => {
          const json = kind.toJson(stored)
          const isJson = type === 'json' || type === 'blocks' || type === 'location'
          const operand = kind.fromQuery(isJson ? JSON.stringify(json) : String(json))
          expect(kind.toJson(operand)).to.deep.equal(JSON.parse(JSON.stringify(json)))
        }),
      )
    })
  }
})
