import { expect } from 'chai'
import { parseReader, parseReadKey, parseVersions } from '../../src/query/parse-version.ts'
import type { Data } from '../../src/schema/definition.ts'
import { thrownBy } from '../fixtures/errors.ts'
import { planOf } from '../fixtures/plans.ts'
import { rulesWith } from '../fixtures/rules.ts'

const plain = planOf()
const localized = planOf({ localized: true, draftAndPublish: true })
const rules = rulesWith('en', 'fr', 'de', 'zh', 'zh-Hant', 'zh-Hant-TW')
const { locales } = rules

describe('fallbackLocale', () => {
  const chains: readonly (readonly [string, Data, readonly string[]])[] = [
    ['a code', { locale: 'de', fallbackLocale: 'fr' }, ['de', 'fr']],
    ['codes', { locale: 'de', fallbackLocale: 'fr, en' }, ['de', 'fr', 'en']],
    ['a list', { locale: 'de', fallbackLocale: ['fr', 'en'] }, ['de', 'fr', 'en']],
    ['no locale parameter', { fallbackLocale: 'fr' }, ['en', 'fr']],
    ['an empty locale', { locale: '', fallbackLocale: 'fr' }, ['en', 'fr']],
    ['repeated codes', { locale: 'fr', fallbackLocale: 'fr,en,fr' }, ['fr', 'en']],
    ['a locale that does not exist', { locale: 'xx', fallbackLocale: 'fr' }, ['fr']],
    ['* for the default locale', { fallbackLocale: '*' }, ['en']],
    ['* for a locale without parents', { locale: 'fr', fallbackLocale: '*' }, ['fr', 'en']],
    [
      '* for a locale with parents',
      { locale: 'zh-Hant-TW', fallbackLocale: '*' },
      ['zh-Hant-TW', 'zh-Hant', 'zh', 'en'],
    ],
    [
      '* for a missing locale with an existing parent',
      { locale: 'de-AT', fallbackLocale: '*' },
      ['de', 'en'],
    ],
  ]
  for (const [label, query, expected] of chains) {
    it(`accepts ${label}`, () => {
      expect(parseVersions({ ...query }, localized, null, locales)).to.deep.equal({
        locales: expected,
        status: 'published',
        firstOnly: true,
      })
      expect(parseReader(query, rules).chain).to.deep.equal(expected)
      expect(parseReadKey(query, localized, locales)).to.deep.equal({
        locale: expected[0],
        status: 'published',
      })
    })
  }

  it('is ignored if it is empty', () => {
    const query = { locale: 'fr', fallbackLocale: '' }
    expect(parseVersions(query, localized, null, locales)).to.deep.equal({
      locales: ['fr'],
      status: 'published',
    })
    expect(parseReader(query, rules)).not.to.have.property('chain')
  })

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['an unknown code', 'xx', /^fallbackLocale: xx is not one of en, fr/],
    ['an unknown code among others', 'fr,xx', /^fallbackLocale: xx is not one of/],
    ['a code in another case', 'FR', /^fallbackLocale: FR is not one of/],
    ['a trailing comma', 'fr,', /^fallbackLocale: {2}is not one of/],
    ['* among others', 'fr,*', /^fallbackLocale: \* is not one of/],
    ['* in a list', ['*'], /^fallbackLocale: \* is not one of/],
    ['an object', { a: 'fr' }, /^fallbackLocale: expected codes, or \*/],
    ['an object in a list', [{ a: 'fr' }], /^fallbackLocale: expected codes, or \*/],
  ]
  for (const [label, fallbackLocale, message] of refused) {
    it(`refuses ${label} for every content-type`, () => {
      const query = { fallbackLocale }
      for (const parse of [
        () => parseVersions(query, localized, null, locales),
        () => parseReadKey(query, localized, locales),
        () => parseReader(query, rules),
      ]) {
        const error = thrownBy(parse)
        expect(error.status).to.equal(400)
        expect(error.message).to.match(message)
      }
    })
  }

  for (const locale of ['*', ['en', 'fr']]) {
    it(`refuses several locales with fallbackLocale: ${JSON.stringify(locale)}`, () => {
      const query = { locale, fallbackLocale: 'fr' }
      for (const parse of [
        () => parseVersions(query, localized, null, locales),
        () => parseReadKey(query, localized, locales),
      ]) {
        expect(thrownBy(parse).message).to.equal('fallbackLocale: requires a single locale')
      }
    })

    it(`ignores ${JSON.stringify(locale)} for a content-type without locales`, () => {
      const query = { locale, fallbackLocale: 'fr' }
      expect(parseVersions(query, plain, null, locales).locales).to.deep.equal([''])
      expect(parseReadKey(query, plain, locales)?.locale).to.equal('')
      expect(parseReader(query, rules).chain).to.deep.equal(['en', 'fr'])
    })
  }
})
