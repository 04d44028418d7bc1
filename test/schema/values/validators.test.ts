import { expect } from 'chai'
import { ValidationError } from '../../../src/base/errors.ts'
import { Decimal } from '../../../src/schema/values/decimal.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { validatorsOf } from '../define.ts'

const ATTRIBUTES = {
  label: { type: 'string', required: true },
  short: { type: 'string', minLength: 3, maxLength: 10 },
  code: { type: 'string', regex: '^[A-Z]{3}$' },
  long: { type: 'text', minLength: 3, maxLength: 20 },
  rich: { type: 'richtext' },
  mail: { type: 'email', minLength: 6, maxLength: 20 },
  pass: { type: 'password', minLength: 6, maxLength: 12 },
  kind: { type: 'enumeration', enum: ['one', 'two', '3'], default: 'one' },
  count: { type: 'integer', min: 1, max: 10 },
  size: { type: 'integer' },
  big: { type: 'biginteger', min: '5', max: '9007199254740993' },
  huge: { type: 'biginteger' },
  ratio: { type: 'decimal', min: 0.5, max: 2.5 },
  share: { type: 'decimal' },
  amount: { type: 'float', min: -1.5, max: 1.5 },
  day: { type: 'date' },
  moment: { type: 'datetime' },
  hour: { type: 'time' },
  stamp: { type: 'timestamp' },
  flag: { type: 'boolean', default: true },
  data: { type: 'json' },
  blocks: { type: 'blocks' },
  place: { type: 'location' },
  handle: { type: 'uid' },
  hidden: { type: 'string', private: true },
}

const { direct } = validatorsOf(ATTRIBUTES)

/** Sends one attribute with the required ones and returns its stored value. */
function accepted(name: string, value: unknown): unknown {
  return direct({ label: 'x', [name]: value }, { creating: false })[name]
}

function refusal(payload: unknown, creating = true): ValidationError {
  try {
    direct(payload, { creating })
  } catch (error) {
    if (error instanceof ValidationError) return error
    throw error
  }
  throw new Error('It was accepted')
}

const NAN = 'must be a `number` type, but the final value was: `NaN` (cast from the value'

describe('a value', () => {
  const rows: readonly [string, unknown, unknown][] = [
    ['label', ' as sent ', ' as sent '],
    ['label', '', ''],
    ['code', '', ''],
    ['code', null, null],
    ['mail', 'AA@BB.CC', 'AA@BB.CC'],
    ['kind', 3, '3'],
    ['kind', null, null],
    ['count', '7', 7],
    ['count', '1e0', 1],
    ['count', ' 3 ', 3],
    ['count', '+3', 3],
    ['size', '0x10', 16],
    ['size', -2147483648, -2147483648],
    ['big', '9007199254740993', 9007199254740993n],
    ['big', 9007199254740992, 9007199254740992n],
    ['huge', '-9223372036854775808', -9223372036854775808n],
    ['amount', '-1.25', -1.25],
    ['day', '2024-02-29', new Date('2024-02-29T00:00:00.000Z')],
    ['day', '2024-02-29T10:00:00Z', new Date('2024-02-29T00:00:00.000Z')],
    ['moment', '2024-02-29T10:00:00+02:00', new Date('2024-02-29T08:00:00.000Z')],
    ['moment', 1700000000000, new Date(1700000000000)],
    ['hour', '10:20:30', '10:20:30.000'],
    ['hour', '10:20:30.123', '10:20:30.123'],
    ['stamp', '1700000000000', new Date(1700000000000)],
    ['stamp', '2024-02-29T10:00:00.000Z', new Date('2024-02-29T10:00:00.000Z')],
    ['flag', 'true', true],
    ['flag', 0, false],
    ['data', '{"a":1}', '{"a":1}'],
    ['data', { z: 1, a: [null] }, { z: 1, a: [null] }],
    ['data', false, false],
    ['blocks', [], []],
    ['place', { latitude: 52.5, longitude: 13.4 }, { type: 'Point', coordinates: [13.4, 52.5] }],
    ['place', { latitude: -90, longitude: 180 }, { type: 'Point', coordinates: [180, -90] }],
    ['place', { latitude: -0, longitude: 0 }, { type: 'Point', coordinates: [0, 0] }],
    ['handle', 'a-b_c.d~1', 'a-b_c.d~1'],
    ['hidden', 'written by anyone', 'written by anyone'],
  ]
  for (const [name, sent, stored] of rows) {
    it(`${name}: accepts ${JSON.stringify(sent)}`, () => {
      expect(accepted(name, sent)).to.deep.equal(stored)
    })
  }

  it('keeps all digits of a decimal', () => {
    expect(accepted('ratio', 1.23456789)).to.be.instanceOf(Decimal)
    expect(String(accepted('ratio', '1.230'))).to.equal('1.230')
    expect(String(accepted('share', '1e308'))).to.equal('1e308')
    expect(String(accepted('share', '-5e-324'))).to.equal('-5e-324')
    expect(String(accepted('share', '0e-400'))).to.equal('0e-400')
  })

  for (const name of Object.keys(ATTRIBUTES).filter((name) => name !== 'label')) {
    it(`${name}: accepts null`, () => {
      expect(accepted(name, null)).to.equal(null)
    })
  }
})

const OUT_OF_RANGE = 'must be 0 or, without its sign, from 5e-324 to 1.7976931348623157e+308'

describe('an invalid value', () => {
  const rows: readonly [string, unknown, string][] = [
    ['label', null, 'must be a `string` type, but the final value was: `null`.'],
    ['label', 'a\0b', 'must not contain a NUL character'],
    ['label', 'a\ud83db', 'must not contain half of a surrogate pair'],
    ['rich', '\ude00\ud83d', 'must not contain half of a surrogate pair'],
    ['label', 'x'.repeat(256), 'must be at most 255 characters'],
    ['short', 12345, 'must be a `string` type, but the final value was: `12345`.'],
    ['short', true, 'must be a `string` type, but the final value was: `true`.'],
    ['short', { a: 1 }, 'must be a `string` type, but the final value was: `{\n  "a": "1"\n}`.'],
    ['short', ['abc'], 'must be a `string` type, but the final value was: `[\n  "\\"abc\\""\n]`.'],
    ['short', '', 'must be at least 3 characters'],
    ['short', 'ab', 'must be at least 3 characters'],
    ['short', 'aaaaaaaaaaa', 'must be at most 10 characters'],
    ['code', 'ABCD', 'must match the following: "/^[A-Z]{3}$/"'],
    ['long', 'x'.repeat(21), 'must be at most 20 characters'],
    ['mail', '', 'cannot be empty'],
    ['mail', ' aa@bb.cc ', 'must be a valid email'],
    ['mail', 'no', 'must be a valid email'],
    ['mail', 'a@b.c', 'must be at least 6 characters'],
    ['mail', 5, 'must be a `string` type, but the final value was: `5`.'],
    ['pass', 'abc', 'must be at least 6 characters'],
    ['kind', 'TWO', 'must be one of the following values: one, two, 3, '],
    ['kind', '', 'must be one of the following values: one, two, 3, '],
    ['kind', 4, 'must be one of the following values: one, two, 3, '],
    ['kind', ['one'], 'must be one of the following values: one, two, 3, '],
    ['count', 1.5, 'must be an integer'],
    ['count', 0, 'must be greater than or equal to 1'],
    ['count', 11, 'must be less than or equal to 10'],
    ['count', 3e9, 'must be less than or equal to 10'],
    ['size', 2147483648, 'must be less than or equal to 2147483647'],
    ['big', 'abc', 'must be a valid integer'],
    ['big', '5.5', 'must be a valid integer'],
    ['big', true, 'must be a valid integer'],
    ['big', '4', 'must be greater than or equal to 5'],
    ['big', '9007199254740994', 'must be less than or equal to 9007199254740993'],
    ['huge', '9223372036854775808', 'must be less than or equal to 9223372036854775807'],
    ['ratio', 0.4, 'must be greater than or equal to 0.5'],
    ['ratio', '0.49999999999999999999', 'must be greater than or equal to 0.5'],
    ['ratio', '2.50000000000000000001', 'must be less than or equal to 2.5'],
    ['ratio', `1.${'1'.repeat(40)}`, 'must have at most 34 digits'],
    ['ratio', '1e309', OUT_OF_RANGE],
    ['ratio', '-1e309', OUT_OF_RANGE],
    ['ratio', '1e-400', OUT_OF_RANGE],
    ['huge', 1e20, 'must be less than or equal to 9223372036854775807'],
    ['amount', 2, 'must be less than or equal to 1.5'],
    ['flag', 'yes', 'must be a `boolean` type, but the final value was: `"yes"`.'],
    ['flag', '', 'must be a `boolean` type, but the final value was: `""`.'],
    ['flag', [], 'must be a `boolean` type, but the final value was: `[]`.'],
    ['handle', 'été', 'must match the following: "/^[A-Za-z0-9-_.~]*$/"'],
    ['handle', 'x'.repeat(256), 'must be at most 255 characters'],
    ['place', 'Berlin', 'must be a `object` type, but the final value was: `"Berlin"`.'],
    ['blocks', 'text', 'must be a `array` type, but the final value was: `"text"`.'],
  ]
  for (const [name, value, message] of rows) {
    it(`${name}: ${JSON.stringify(value).slice(0, 40)} ${message.slice(0, 50)}`, () => {
      const error = refusal({ label: 'x', [name]: value })
      expect(error.message).to.equal(`${name} ${message}`)
      expect(error.details).to.deep.equal({
        errors: [{ path: [name], message: `${name} ${message}`, name: 'ValidationError', value }],
      })
    })
  }

  const noNumbers: readonly [string, unknown, string][] = [
    ['count', 'seven', '"seven"'],
    ['count', '', '""'],
    ['count', true, 'true'],
    ['count', {}, '{}'],
    ['count', [5], '[\n  "5"\n]'],
    ['ratio', 'x', '"x"'],
    ['ratio', [1], '[\n  "1"\n]'],
    ['amount', 'NaN', '"NaN"'],
    ['amount', 'Infinity', '"Infinity"'],
  ]
  for (const [name, value, printed] of noNumbers) {
    it(`${name}: ${JSON.stringify(value)} is not a number and is reported as null`, () => {
      const message = `${name} ${NAN} \`${printed}\`).`
      expect(refusal({ label: 'x', [name]: value }).details).to.deep.equal({
        errors: [{ path: [name], message, name: 'ValidationError', value: null }],
      })
    })
  }

  const formats: readonly [string, unknown, string][] = [
    ['day', 'tomorrow', 'Invalid format, expected yyyy-MM-dd'],
    ['day', 1700000000000, 'Invalid format, expected yyyy-MM-dd'],
    ['day', '2024/02/29', 'Invalid format, expected yyyy-MM-dd'],
    ['day', '', 'Invalid format, expected yyyy-MM-dd'],
    ['day', '2023-02-29', 'Invalid date'],
    ['moment', 'tomorrow', 'Invalid format, expected a timestamp or an ISO date'],
    ['moment', '', 'Invalid format, expected a timestamp or an ISO date'],
    ['moment', {}, 'Invalid format, expected a timestamp or an ISO date'],
    ['stamp', 'noon', 'Invalid format, expected a timestamp or an ISO date'],
    ['hour', '10:20', 'Invalid time format, expected HH:mm:ss.SSS'],
    ['hour', '', 'Invalid time format, expected HH:mm:ss.SSS'],
    ['hour', 10, 'Expected a string, got a number'],
  ]
  for (const [name, value, message] of formats) {
    it(`${name}: ${JSON.stringify(value)} is refused for its format without details`, () => {
      const error = refusal({ label: 'x', [name]: value })
      expect(error).to.include({ name: 'ValidationError', message: `${name}: ${message}` })
      expect(error.details).to.deep.equal({})
    })
  }

  it('is refused for its format only if no other rule fails, with all format faults', () => {
    const both = refusal({ label: 'x', day: 'soon', hour: 'noon', count: 99 })
    expect(both.message).to.equal('count must be less than or equal to 10')
    expect(refusal({ label: 'x', day: 'soon', hour: 'noon' }).message).to.equal(
      'day: Invalid format, expected yyyy-MM-dd; hour: Invalid time format, expected HH:mm:ss.SSS',
    )
  })

  it('is refused with its path in a JSON value', () => {
    const error = refusal({ label: 'x', data: JSON.parse('{"a":[{"__proto__":1}]}') })
    expect(error.message).to.equal('data.a.0.__proto__ must not be a key')
    expect(error.details)
      .to.have.nested.property('errors[0].path')
      .that.deep.equals(['data', 'a', '0', '__proto__'])
  })

  const locations: readonly [unknown, string, string][] = [
    [{ latitude: 91, longitude: 0 }, 'latitude', 'must be less than or equal to 90'],
    [{ latitude: -90.1, longitude: 0 }, 'latitude', 'must be greater than or equal to -90'],
    [{ latitude: 0, longitude: 180.1 }, 'longitude', 'must be less than or equal to 180'],
    [{ latitude: 0, longitude: -181 }, 'longitude', 'must be greater than or equal to -180'],
    [{ latitude: 0 }, 'longitude', 'must be defined.'],
    [{ latitude: null, longitude: 0 }, 'latitude', 'must be a `number` type'],
    [{ latitude: '52', longitude: 0 }, 'latitude', 'must be a `number` type'],
    [{ latitude: 0, longitude: 0, height: 5 }, 'height', 'is not known'],
    [{ type: 'Point', coordinates: [0, 0] }, 'type', 'is not known'],
  ]
  for (const [value, member, message] of locations) {
    it(`is refused with its path in the location ${JSON.stringify(value)}`, () => {
      const error = refusal({ label: 'x', place: value })
      expect(error.message.startsWith(`place.${member} ${message}`), error.message).to.equal(true)
      expect(error.details)
        .to.have.nested.property('errors[0].path')
        .that.deep.equals(['place', member])
    })
  }

  it('counts several faults and lists them in attribute order', () => {
    const error = refusal({ short: 'a', count: 'x' })
    expect(error.message).to.equal('3 errors occurred')
    const listed = (error.details?.['errors'] ?? []) as readonly { path: string[] }[]
    const paths = listed.map(({ path }) => path[0])
    expect(paths).to.deep.equal(['label', 'short', 'count'])
  })

  it('is shortened in messages', () => {
    const error = refusal({ label: 'x', count: 'x'.repeat(500_000) })
    expect(error.message.length).to.be.below(2000)
  })
})

describe('a key', () => {
  const refused: readonly [string, object][] = [
    ['nope', { key: 'nope', path: null, source: 'body' }],
    ['status', { key: 'status', path: null, source: 'body' }],
    ['constructor', { key: 'constructor', path: null, source: 'body' }],
    ['toString', { key: 'toString', path: null, source: 'body' }],
    ['Label', { key: 'Label', path: null, source: 'body' }],
    ['id', { key: 'id', source: 'body' }],
    ['documentId', { key: 'documentId', source: 'body' }],
    ['createdAt', { key: 'createdAt', path: 'createdAt', source: 'body' }],
    ['updatedAt', { key: 'updatedAt', path: 'updatedAt', source: 'body' }],
    ['createdBy', { key: 'createdBy', path: 'createdBy', source: 'body' }],
    ['updatedBy', { key: 'updatedBy', path: 'updatedBy', source: 'body' }],
    ['localizations', { key: 'localizations', path: 'localizations', source: 'body' }],
  ]
  for (const [key, details] of refused) {
    it(`${key} is refused before values are checked`, () => {
      const error = refusal({ short: 5, [key]: 1 })
      const hint = key === 'Label' ? '; did you mean label?' : ''
      expect(error.message).to.equal(`Invalid key ${key}${hint}`)
      expect(error.details).to.deep.equal(details)
    })
  }

  it('is dropped if the server sets it', () => {
    const data = direct({ label: 'x', publishedAt: null, locale: 'fr' }, { creating: false })
    expect(data).to.deep.equal({ label: 'x' })
  })
})

describe('a payload', () => {
  for (const payload of [undefined, null, true, false, 0, 5, '', 'x']) {
    it(`is missing if it is ${JSON.stringify(payload)}`, () => {
      expect(refusal(payload)).to.include({
        message: 'Missing "data" payload in the request body',
      })
    })
  }

  it('is refused if it is a list', () => {
    const message =
      'this must be a `object` type, but the final value was: `null` ' +
      '(cast from the value `[\n  {\n    "label": "\\"x\\""\n  }\n]`).'
    expect(refusal([{ label: 'x' }]).details).to.deep.equal({
      errors: [{ path: [], message, name: 'ValidationError', value: null }],
    })
  })

  it('gets defaults for missing keys on creation but not for null', () => {
    expect(direct({ label: 'x' }, { creating: true })).to.deep.equal({
      label: 'x',
      kind: 'one',
      flag: true,
    })
    const nulls: Data = { label: 'x', kind: null, flag: null }
    expect(direct(nulls, { creating: true })).to.deep.equal(nulls)
    expect(direct({}, { creating: false })).to.deep.equal({})
  })

  it('may omit required attributes in an update', () => {
    expect(refusal({}).details).to.deep.equal({
      errors: [{ path: ['label'], message: 'label must be defined.', name: 'ValidationError' }],
    })
    expect(direct({ short: 'abc' }, { creating: false })).to.deep.equal({ short: 'abc' })
  })

  it('is not modified', () => {
    const payload = { label: 'x', day: '2024-02-29', locale: 'fr' }
    direct(payload, { creating: true })
    expect(payload).to.deep.equal({ label: 'x', day: '2024-02-29', locale: 'fr' })
  })

  it('gets defaults in stored form', () => {
    const data = validatorsOf({
      ratio: { type: 'decimal', default: 0.5 },
      big: { type: 'biginteger', default: '9007199254740993' },
      day: { type: 'date', default: '2024-02-29' },
      hour: { type: 'time', default: '10:20:30' },
      none: { type: 'string', default: null },
    }).direct({}, { creating: true })
    expect(data['ratio']).to.be.instanceOf(Decimal).with.property('text', '0.5')
    expect(data).to.deep.include({
      big: 9007199254740993n,
      day: new Date('2024-02-29'),
      hour: '10:20:30.000',
      none: null,
    })
  })

  it('gets a separate copy of a default each time', () => {
    const { direct } = validatorsOf({ list: { type: 'json', default: [] } })
    const first = direct({}, { creating: true })['list']
    expect(first).to.deep.equal([])
    expect(direct({}, { creating: true })['list']).not.to.equal(first)
  })
})
