import { expect } from 'chai'
import { parseFilters } from '../../src/query/parse-filters.ts'
import {
  parseDeletedLocales,
  parseReadKey,
  parseVersions,
  parseWriteKey,
} from '../../src/query/parse-version.ts'
import type { LocaleRules } from '../../src/query/query.ts'
import { thrownBy } from '../fixtures/errors.ts'
import { planOf } from '../fixtures/plans.ts'

const plain = planOf()
const drafting = planOf({ draftAndPublish: true })
const localized = planOf({ localized: true, draftAndPublish: true })

const locales: LocaleRules = {
  defaultCode: 'en',
  all: [{ code: 'en' }, { code: 'fr' }, { code: 'pt-BR' }],
  has: (code) => ['en', 'fr', 'pt-BR'].includes(code),
}

describe('parseVersions', () => {
  const rows: readonly (readonly [string, object, typeof plain, unknown])[] = [
    ['no parameters', {}, plain, { locales: [''], status: 'published' }],
    [
      'any locale for a type without locales',
      { locale: 'xx' },
      plain,
      { locales: [''], status: 'published' },
    ],
    [
      'draft for a type without drafts',
      { status: 'draft' },
      plain,
      { locales: [''], status: 'published' },
    ],
    ['draft', { status: 'draft' }, drafting, { locales: [''], status: 'draft' }],
    ['the default locale', {}, localized, { locales: ['en'], status: 'published' }],
    ['an empty locale', { locale: '' }, localized, { locales: ['en'], status: 'published' }],
    ['a locale', { locale: 'fr' }, localized, { locales: ['fr'], status: 'published' }],
    ['an unknown locale', { locale: 'xx' }, localized, { locales: [], status: 'published' }],
    ['a locale in another case', { locale: 'FR' }, localized, { locales: [], status: 'published' }],
    [
      'every locale',
      { locale: '*' },
      localized,
      { locales: ['en', 'fr', 'pt-BR'], status: 'published' },
    ],
    [
      'a list of locales',
      { locale: ['fr', 'xx', 'en'], status: 'draft' },
      localized,
      { locales: ['fr', 'en'], status: 'draft' },
    ],
  ]
  for (const [label, query, plan, expected] of rows) {
    it(`reads ${label}`, () => {
      expect(parseVersions({ ...query }, plan, null, locales)).to.deep.equal(expected)
    })
  }

  it('reads all locales if a filter mentions the locale', () => {
    const filters = [
      { locale: 'fr' },
      { $or: [{ string: 'a' }, { $not: { locale: { $in: ['fr'] } } }] },
    ]
    for (const filter of filters) {
      const parsed = parseFilters(filter, localized, { mayRead: () => true })
      expect(parseVersions({}, localized, parsed, locales).locales).to.deep.equal([
        'en',
        'fr',
        'pt-BR',
      ])
      expect(parseVersions({ locale: 'en' }, localized, parsed, locales).locales).to.deep.equal([
        'en',
      ])
    }
  })

  for (const status of ['foo', '', 'DRAFT', ['draft'], { $ne: 'draft' }, null]) {
    it(`refuses the status ${JSON.stringify(status)}`, () => {
      const error = thrownBy(() => parseVersions({ status }, drafting, null, locales))
      expect([error.status, error.message]).to.deep.equal([
        400,
        'status: expected draft or published',
      ])
      expect(thrownBy(() => parseVersions({ status }, plain, null, locales)).status).to.equal(400)
    })
  }

  for (const locale of [{ $ne: 'en' }, ['en', { $gt: '' }]]) {
    it(`refuses the locale ${JSON.stringify(locale)}`, () => {
      expect(thrownBy(() => parseVersions({ locale }, localized, null, locales)).message).to.match(
        /^locale: /,
      )
    })
  }
})

describe('parseReadKey', () => {
  const rows: readonly (readonly [string, object, typeof plain, unknown])[] = [
    ['no parameters', {}, localized, { locale: 'en', status: 'published' }],
    ['a locale', { locale: 'fr', status: 'draft' }, localized, { locale: 'fr', status: 'draft' }],
    ['every locale as null', { locale: '*' }, localized, null],
    ['an unknown locale as null', { locale: 'xx' }, localized, null],
    ['a list as null', { locale: ['fr'] }, localized, null],
    ['an inherited name as null', { locale: 'constructor' }, localized, null],
    [
      'any locale for a type without locales',
      { locale: '*' },
      plain,
      { locale: '', status: 'published' },
    ],
  ]
  for (const [label, query, plan, expected] of rows) {
    it(`reads ${label}`, () => {
      expect(parseReadKey({ ...query }, plan, locales)).to.deep.equal(expected)
    })
  }
})

describe('parseWriteKey', () => {
  const rows: readonly (readonly [string, object, unknown, typeof plain, string | null])[] = [
    ['the default', {}, undefined, localized, 'en'],
    ['the query parameter', { locale: 'fr' }, undefined, localized, 'fr'],
    ['the locale in the data', {}, 'fr', localized, 'fr'],
    ['the query rather than the data', { locale: 'fr' }, 'pt-BR', localized, 'fr'],
    ['the data for an empty query parameter', { locale: '' }, 'fr', localized, 'fr'],
    ['the default for null in the data', {}, null, localized, 'en'],
    ['no locale for a type without locales', { locale: 'zz' }, 'yy', plain, ''],
  ]
  for (const [label, query, data, plan, expected] of rows) {
    it(`uses ${label}`, () => {
      expect(parseWriteKey({ ...query }, data, plan, locales).locale).to.equal(expected)
    })
  }

  const refused: readonly (readonly [string, object, unknown, RegExp])[] = [
    ['an unknown locale', { locale: 'xx' }, undefined, /^locale: xx is not one of en, fr, pt-BR$/],
    ['an unknown locale in the data', {}, 'xx', /^locale: xx/],
    [
      'every locale',
      { locale: '*' },
      undefined,
      /^Invalid locale param \* provided\. Document locales must be strings\.$/,
    ],
    ['a list', { locale: ['fr'] }, undefined, /^Invalid locale param \["fr"\]/],
    ['an object in the data', {}, { $ne: 'x' }, /^Invalid locale param/],
    ['a number in the data', {}, 7, /^Invalid locale param 7/],
  ]
  for (const [label, query, data, message] of refused) {
    it(`refuses ${label}`, () => {
      const error = thrownBy(() => parseWriteKey({ ...query }, data, localized, locales))
      expect(error.status).to.equal(400)
      expect(error.message).to.match(message)
    })
  }
})

describe('parseDeletedLocales', () => {
  const rows: readonly (readonly [string, object, typeof plain, unknown])[] = [
    ['the default', {}, localized, ['en']],
    ['one locale', { locale: 'fr' }, localized, ['fr']],
    ['all', { locale: '*' }, localized, 'all'],
    ['an unknown locale', { locale: 'xx' }, localized, ['xx']],
    ['any locale as all for a type without locales', { locale: 'fr' }, plain, 'all'],
    ['a published status as all', { status: 'published' }, drafting, 'all'],
    ['a draft status of a type without drafts as all', { status: 'draft' }, plain, 'all'],
  ]
  for (const [label, query, plan, expected] of rows) {
    it(`reads ${label}`, () => {
      expect(parseDeletedLocales({ ...query }, plan, locales)).to.deep.equal(expected)
    })
  }

  it('refuses to delete only drafts', () => {
    expect(
      thrownBy(() => parseDeletedLocales({ status: 'draft' }, drafting, locales)).message,
    ).to.match(/^status: /)
  })
})
