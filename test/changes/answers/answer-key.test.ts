import { expect } from 'chai'
import * as fc from 'fast-check'
import qs from 'qs'
import { type ReadToCache, answerKeys, spelled } from '../../../src/changes/answers/answer-key.ts'

const NAMES = ['a.find', 'a.findOne', 'b.find'].map((name) => ({ name }))

function localesOf(defaultCode: string, ...codes: readonly string[]): ReadToCache['locales'] {
  return {
    defaultCode,
    all: codes.map((code) => ({ code })),
    has: (code) => codes.includes(code),
  }
}

const ASKED: ReadToCache = {
  uid: 'api::a.a',
  documentId: null,
  querystring: 'sort=title',
  format: 'v5',
  locales: localesOf('en', 'en', 'fr'),
  grants: new Set(['a.find']),
}

describe('the key of an answer', () => {
  const keyOf = answerKeys(NAMES)

  it('is equal for equal rights and locales', () => {
    const same = {
      ...ASKED,
      grants: new Set(['a.find', 'gone']),
      locales: localesOf('en', 'en', 'fr'),
    }
    expect(keyOf(same)).to.equal(keyOf(ASKED))
  })

  const others: readonly (readonly [string, Partial<ReadToCache>])[] = [
    ['type', { uid: 'api::b.b' }],
    ['document', { documentId: 'x' }],
    ['query', { querystring: 'sort=title:desc' }],
    ['order of parameters', { querystring: 'title&sort=' }],
    ['format', { format: 'v4' }],
    ['default locale', { locales: localesOf('fr', 'en', 'fr') }],
    ['list of locales', { locales: localesOf('en', 'en') }],
    ['missing rights', { grants: new Set() }],
    ['additional rights', { grants: new Set(['a.find', 'b.find']) }],
  ]
  for (const [label, changed] of others) {
    it(`depends on the ${label}`, () => {
      expect(keyOf({ ...ASKED, ...changed })).not.to.equal(keyOf(ASKED))
    })
  }

  it('does not collide when parts contain delimiters', () => {
    const one = keyOf({ ...ASKED, documentId: 'a', querystring: 'b","v5' })
    const other = keyOf({ ...ASKED, documentId: 'a","b', querystring: 'v5' })
    expect(one).not.to.equal(other)
  })
})

describe('the normalized query string', () => {
  const piece = fc.constantFrom(
    ...'a b [ ] %5B %5b %5D $ %24 %2524 % %2 5B , %2C : %3A %3a = & %26 %3D + %20 . %2E 0 é %C3%A9 %C3 %FF'.split(
      ' ',
    ),
  )

  it('parses to the same parameters as the original', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const given = pieces.join('')
        expect(qs.parse(spelled(given))).to.deep.equal(qs.parse(given))
      }),
      { numRuns: 5_000 },
    )
  })

  it('does not depend on escaping', () => {
    expect(spelled('filters%5Ba%5D%5b%24eq%5d=x%2Cy%3Az')).to.equal('filters[a][$eq]=x,y:z')
  })
})
