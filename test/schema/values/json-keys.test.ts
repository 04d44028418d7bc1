import { expect } from 'chai'
import * as fc from 'fast-check'
import { shownJson, storedJson } from '../../../src/schema/values/json-values.ts'

/** Keys with characters that need escaping. */
const key = fc
  .oneof(
    fc.string(),
    fc.constantFrom(
      '',
      '$',
      '$x',
      'a.b',
      '.',
      '_bsontype',
      '%:',
      '%',
      '%25',
      '%2E',
      '%:a%2Eb',
      '%:%25:',
    ),
    fc
      .array(fc.constantFrom('$', '.', '%', ':', '25', '2E', 'a'), { maxLength: 6 })
      .map((parts) => parts.join('')),
  )
  .filter((name) => name !== '__proto__')

const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 1.5, '', '$x'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4 }),
  ),
}))

function keysOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...keysOf(member)])
}

describe('keys of JSON', () => {
  it('survive a round trip in order', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.stringify(shownJson(storedJson(value)))).to.equal(JSON.stringify(value))
      }),
      { numRuns: 2_000 },
    )
  })

  it('are stored without characters that the database or driver interprets', () => {
    fc.assert(
      fc.property(json, (value) => {
        for (const name of keysOf(storedJson(value))) {
          expect(name).to.match(/^[^$]/).and.not.include('.')
          expect(name).to.not.equal('_bsontype')
        }
      }),
      { numRuns: 2_000 },
    )
  })

  const rows: readonly [string, string][] = [
    ['plain', 'plain'],
    ['a$b', 'a$b'],
    ['%', '%'],
    ['', '%:'],
    ['$x', '%:$x'],
    ['a.b', '%:a%2Eb'],
    ['100%.5', '%:100%25%2E5'],
    ['_bsontype', '%:_bsontype'],
    ['%:x', '%:%25:x'],
  ]
  for (const [sent, stored] of rows) {
    it(`store ${JSON.stringify(sent)} as ${stored}`, () => {
      expect(storedJson([{ [sent]: 1 }])).to.deep.equal([{ [stored]: 1 }])
    })
  }

  it('of older or foreign data are returned unchanged', () => {
    for (const stored of [{ 'a.b': 1 }, { $x: 1 }, { '': 1 }, { '%:plain': 1 }, { '%:a.b': 1 }]) {
      expect(shownJson(stored)).to.deep.equal(stored)
    }
  })

  it('are not searched in values other than JSON objects', () => {
    for (const value of [new Date(0), 5n, null, undefined, 'text']) {
      expect(storedJson(value)).to.equal(value)
    }
  })
})
