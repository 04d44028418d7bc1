import { expect } from 'chai'
import { ValidationError } from '../../../src/base/errors.ts'
import { assertLocaleCode, localeName } from '../../../src/content/locales/locale-code.ts'

describe('codes of locales', () => {
  for (const code of [
    'en',
    'fr',
    'pt-BR',
    'zh-Hant',
    'zh-Hans-CN',
    'es-419',
    'ca-valencia',
    'gsw',
  ]) {
    it(`accepts ${code}`, () => assertLocaleCode(code))
  }
  const refused: readonly [string, RegExp][] = [
    ['FR', /written fr$/],
    ['en-us', /written en-US$/],
    ['zh-hant', /written zh-Hant$/],
    ['iw', /written he$/],
    ['', /known BCP 47/],
    ['xx', /known BCP 47/],
    ['und', /known BCP 47/],
    ['en_US', /known BCP 47/],
    ['en-XX9', /known BCP 47/],
    ['english', /known BCP 47/],
    ['*', /known BCP 47/],
    ['en:draft', /known BCP 47/],
    ['__proto__', /known BCP 47/],
    [`en-${'abcde-'.repeat(20)}abcde`, /known BCP 47/],
  ]
  for (const [code, message] of refused) {
    it(`refuses ${code === '' ? 'an empty code' : code.slice(0, 20)}`, () => {
      expect(() => assertLocaleCode(code)).to.throw(ValidationError, message)
    })
  }

  it('uses the reference names of locales', () => {
    expect(['en', 'fr-CA', 'de'].map(localeName)).to.deep.equal([
      'English (en)',
      'French (Canada) (fr-CA)',
      'German (de)',
    ])
  })
})
