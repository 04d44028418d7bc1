import { expect } from 'chai'
import { ValidationError } from '../../../../src/base/errors.ts'
import { assertFits, readToken, writeToken } from '../../../../src/changes/sync/query/sync-token.ts'

const ROW = ['x', 0, 'shape']
const WHOLE = [1, { types: 'tag' }, 'log', 3, 0, [ROW], ['en']]

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function changed(place: number, value: unknown): string {
  return encoded(WHOLE.with(place, value as (typeof WHOLE)[number]))
}

const REFUSED: readonly (readonly [label: string, token: string])[] = [
  ['an empty text', ''],
  ['other characters', '%%%'],
  ['invalid JSON', Buffer.from('{').toString('base64url')],
  ['an object instead of a list', encoded({})],
  ['a missing part', encoded(WHOLE.slice(1))],
  ['another version', changed(0, 2)],
  ['parameters in a list', changed(1, [])],
  ['null parameters', changed(1, null)],
  ['a log that is not text', changed(2, 1)],
  ['a negative number', changed(3, -1)],
  ['a fraction', changed(4, 0.5)],
  ['types that are not a list', changed(5, {})],
  ['a type that is not a list', changed(5, [{}])],
  ['a type with a missing part', changed(5, [['x', 0]])],
  ['a position that is not text', changed(5, [[1, 0, 'shape']])],
  ['a flag other than 0 or 1', changed(5, [['x', 2, 'shape']])],
  ['a shape that is not text', changed(5, [['x', 0, null]])],
  ['locales that are not text', changed(6, [1])],
  ['locales that are not a list', changed(6, 'en')],
  ['ids of more locales', changed(5, [['x', 0, 'shape.0.1-2']])],
  ['ids that are not numbers', changed(5, [['x', 0, 'shape.0.-']])],
  ['a text longer than any token', 'a'.repeat(32_769)],
]

describe('a sync token', () => {
  it('is read as written', () => {
    const token = readToken(encoded(WHOLE))
    expect(token.types).to.deep.equal([{ after: 'x', isLost: false, shape: 'shape' }])
    expect(readToken(writeToken(token))).to.deep.equal(token)
  })

  it('has the ids of its locales beside the first shape', () => {
    const whole = { ...readToken(encoded(WHOLE)), locales: ['en', 'de-CH'], localeIds: [1, 40] }
    expect(readToken(writeToken(whole))).to.deep.equal(whole)
    const later = { ...whole, types: whole.types.map((one) => ({ ...one, release: 36 })) }
    expect(readToken(writeToken(later))).to.deep.equal(later)
    const parts = JSON.parse(Buffer.from(writeToken(later), 'base64url').toString()) as unknown[]
    // Older servers read the codes and the first two parts.
    expect(parts.slice(5)).to.deep.equal([[['x', 0, 'shape.10.1-14']], ['en', 'de-CH']])
    const none = { ...whole, locales: [], localeIds: [] }
    expect(readToken(writeToken(none))).to.deep.equal(none)
  })

  it('holds any accepted scope, and a larger scope is refused at the start', () => {
    const scopeOf = (values: number) => {
      const names = Array.from({ length: values }, (_, index) => String(index).padStart(25, 'x'))
      const asked = { types: 'tag', filters: { tag: { name: { $in: names } } } }
      return { ...readToken(encoded(WHOLE)), asked }
    }
    const [some, many] = [scopeOf(800), scopeOf(900)]
    assertFits(some)
    expect(readToken(writeToken(some))).to.deep.equal(some)
    expect(() => assertFits(many)).to.throw(ValidationError, /^filters: .*too long for a token/)
    expect(() => readToken(writeToken(many))).to.throw(ValidationError)
  })

  for (const [label, text] of REFUSED) {
    it(`is refused with ${label}`, () => {
      expect(() => readToken(text)).to.throw(
        ValidationError,
        /^token: .*token of an earlier answer/,
      )
    })
  }
})
