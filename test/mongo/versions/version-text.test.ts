import { expect } from 'chai'
import * as fc from 'fast-check'
import { BSON, Decimal128, Long } from 'mongodb'
import { decodeRow } from '../../../src/mongo/versions/stored-version.ts'
import { compileVersionText, type TextMember } from '../../../src/mongo/versions/version-text.ts'
import type { ScalarType } from '../../../src/schema/definition.ts'
import { SCALAR_KINDS } from '../../../src/schema/values/attribute-kinds.ts'

const TYPES = Object.keys(SCALAR_KINDS) as ScalarType[]

/** The expected text: the JSON of the decoded version, built with `toJson` of the scalar kinds. */
function expected(members: readonly TextMember[], bytes: Uint8Array): string {
  const version = decodeRow(bytes)
  const entry: Record<string, unknown> = {}
  for (const { name, storedName, type } of members) {
    entry[name] = SCALAR_KINDS[type].toJson(version[storedName] ?? null)
  }
  return JSON.stringify(entry)
}

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '\u2028', '\u0000', '\u007f', '\ufffd', 'é', '😀', '12:30:00.000'),
)
const date = fc.oneof(
  fc.date({ noInvalidDate: true }),
  fc.constantFrom(new Date(0), new Date(-1), new Date(8.64e15), new Date(-8.64e15)),
)
const digits = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
/** Values in any stored form, valid for the type or not. */
const stored = fc.oneof(
  text,
  date,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  digits.map((value) => Decimal128.fromString(String(value))),
  fc.jsonValue(),
  fc.array(text),
  fc.constantFrom(/never/i, new BSON.Binary(Buffer.from('a')), new BSON.ObjectId(), {
    '%:a%2Eb': { '%:$c': 1 },
  }),
  fc.constantFrom(
    { type: 'Point', coordinates: [13.4, 52.5] },
    { type: 'Point', coordinates: ['13', 52.5] },
    { latitude: 52.5, longitude: 13.4 },
  ),
)
const field = fc.record({ type: fc.constantFrom(...TYPES), value: stored, isShown: fc.boolean() })

describe('compileVersionText', () => {
  it('equals the JSON of the decoded version for any stored values', () => {
    const lists = fc.array(fc.array(field, { maxLength: 6 }), { minLength: 1, maxLength: 4 })
    const property = fc.property(lists, fc.boolean(), ([first = [], ...others], isTurned) => {
      const members = first.flatMap(({ type, isShown }, index) =>
        isShown ? [{ name: `shown${index}`, storedName: `member${index}`, type }] : [],
      )
      const write = compileVersionText(isTurned ? members.toReversed() : members)
      for (const fields of [first, ...others, first]) {
        const version = fields.map(({ value }, index) => [`member${index}`, value])
        const bytes = BSON.serialize(Object.fromEntries(version), { ignoreUndefined: false })
        expect(write(bytes)).to.equal(expected(isTurned ? members.toReversed() : members, bytes))
      }
    })
    fc.assert(property, { numRuns: 2_000 })
  })

  it('writes 64-bit integers exactly', () => {
    const members = [{ name: 'count', storedName: 'count', type: 'biginteger' }] as const
    const write = compileVersionText(members)
    for (const value of [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
      const bytes = BSON.serialize({ count: Long.fromBigInt(value) })
      expect(write(bytes)).to.equal(`{"count":"${value}"}`)
    }
  })

  it('reads a version inside a larger buffer', () => {
    const write = compileVersionText([{ name: 'title', storedName: 'title', type: 'string' }])
    const one = BSON.serialize({ _id: 'a', title: 'One' })
    const all = Buffer.concat([Buffer.from('before'), one, Buffer.from('behind')])
    expect(write(all.subarray(6, 6 + one.length))).to.equal('{"title":"One"}')
  })

  it('rejects text with invalid UTF-8, like the driver', () => {
    const write = compileVersionText([{ name: 'title', storedName: 'title', type: 'string' }])
    const bytes = Buffer.from(BSON.serialize({ title: 'abc' }))
    bytes[bytes.indexOf('abc') + 1] = 0xff
    expect(() => write(bytes)).to.throw(/UTF-8/)
    expect(() => decodeRow(bytes)).to.throw(/UTF-8/)
  })

  it('does not read beyond the end of truncated input', () => {
    const write = compileVersionText([{ name: 'title', storedName: 'title', type: 'string' }])
    const bytes = Buffer.from(BSON.serialize({ title: 'abc' }))
    for (let end = 5; end < bytes.length; end += 1) {
      expect(() => write(bytes.subarray(0, end)), `${end} bytes`).to.throw()
    }
  })
})
