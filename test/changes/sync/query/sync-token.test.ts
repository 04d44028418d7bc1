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

const REFUSED: readonly (readonly [what: string, token: string])[] = [
  ['an empty text', ''],
  ['other characters', '%%%'],
  ['no JSON', Buffer.from('{').toString('base64url')],
  ['no list', encoded({})],
  ['a part too few', encoded(WHOLE.slice(1))],
  ['another version', changed(0, 2)],
  ['a list of parameters', changed(1, [])],
  ['no parameters', changed(1, null)],
  ['a log that is no text', changed(2, 1)],
  ['a negative number', changed(3, -1)],
  ['a fraction', changed(4, 0.5)],
  ['types that are no list', changed(5, {})],
  ['a type that is no list', changed(5, [{}])],
  ['a type with a part too few', changed(5, [['x', 0]])],
  ['a place that is no text', changed(5, [[1, 0, 'shape']])],
  ['a mark that is neither 0 nor 1', changed(5, [['x', 2, 'shape']])],
  ['a shape that is no text', changed(5, [['x', 0, null]])],
  ['locales that are no texts', changed(6, [1])],
  ['locales that are no list', changed(6, 'en')],
  ['a longer text than any token', 'a'.repeat(32_769)],
]

describe('a sync token', () => {
  it('is read as it was written', () => {
    const token = readToken(encoded(WHOLE))
    expect(token.types).to.deep.equal([{ after: 'x', isLost: false, shape: 'shape' }])
    expect(readToken(writeToken(token))).to.deep.equal(token)
  })

  it('has room for a scope, or the scope is refused before a client begins with it', () => {
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

  for (const [what, text] of REFUSED) {
    it(`is refused with ${what}`, () => {
      expect(() => readToken(text)).to.throw(
        ValidationError,
        /^token: .*token of an earlier answer/,
      )
    })
  }
})
