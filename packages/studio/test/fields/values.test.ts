import { expect } from 'chai'
import * as fc from 'fast-check'
import { labelOf } from '../../src/texts/labels.ts'
import { parseNumber } from '../../src/fields/number/parse-number.ts'
import { fromInput, toInput } from '../../src/fields/time/local-time.ts'
import { formatNumber } from '../../src/texts/numbers.ts'
import { LANGUAGES } from '../../src/texts/texts.ts'
import { isUid, slugOf } from '../../src/fields/uid/slug-of.ts'

describe('a typed number', () => {
  const cases = [
    ['integer', 'en', '', { kind: 'value', value: null }],
    ['integer', 'en', ' 12 ', { kind: 'value', value: 12 }],
    ['integer', 'en', '-2147483648', { kind: 'value', value: -2147483648 }],
    ['integer', 'en', '2147483648', { kind: 'unreadable', why: 'range' }],
    ['integer', 'en', '1.5', { kind: 'unreadable', why: 'whole' }],
    ['integer', 'en', '12a', { kind: 'unreadable', why: 'whole' }],
    ['integer', 'en', '36,110', { kind: 'value', value: 36110 }],
    ['integer', 'de', '36.110', { kind: 'value', value: 36110 }],
    ['biginteger', 'en', '9223372036854775807', { kind: 'value', value: '9223372036854775807' }],
    [
      'biginteger',
      'de',
      '-9.223.372.036.854.775.808',
      { kind: 'value', value: '-9223372036854775808' },
    ],
    ['biginteger', 'en', '+7', { kind: 'value', value: '7' }],
    ['biginteger', 'en', '9223372036854775808', { kind: 'unreadable', why: 'range' }],
    ['float', 'en', '1,234', { kind: 'value', value: 1234 }],
    ['float', 'de', '1,234', { kind: 'value', value: 1.234 }],
    ['float', 'en', '1.234', { kind: 'value', value: 1.234 }],
    ['float', 'de', '1.234', { kind: 'value', value: 1234 }],
    ['float', 'en', '1,5', { kind: 'unreadable', why: 'ambiguous' }],
    ['float', 'de', '1.5', { kind: 'unreadable', why: 'ambiguous' }],
    ['float', 'en', '0,123', { kind: 'unreadable', why: 'ambiguous' }],
    ['float', 'en', '1,2345', { kind: 'unreadable', why: 'ambiguous' }],
    ['float', 'en', '1234,567', { kind: 'unreadable', why: 'ambiguous' }],
    ['float', 'en', '1.234,5', { kind: 'unreadable', why: 'ambiguous' }],
    ['float', 'en', "1,234'567", { kind: 'unreadable', why: 'ambiguous' }],
    ['float', 'en', '1 234 567', { kind: 'value', value: 1234567 }],
    ['float', 'de', '1\u202f234,5', { kind: 'value', value: 1234.5 }],
    ['float', 'en', '−1,000.5', { kind: 'value', value: -1000.5 }],
    ['float', 'en', '.5', { kind: 'value', value: 0.5 }],
    ['float', 'de', ',5', { kind: 'value', value: 0.5 }],
    ['float', 'en', '1e3', { kind: 'value', value: 1000 }],
    ['float', 'en', '1e999', { kind: 'unreadable', why: 'range' }],
    ['float', 'en', '.', { kind: 'unreadable', why: 'number' }],
    ['float', 'en', '0x10', { kind: 'unreadable', why: 'number' }],
    ['decimal', 'en', '0.1', { kind: 'value', value: 0.1 }],
    ['decimal', 'en', '12345678901234567.25', { kind: 'value', value: '12345678901234567.25' }],
    [
      'decimal',
      'de',
      '12.345.678.901.234.567,25',
      { kind: 'value', value: '12345678901234567.25' },
    ],
  ] as const
  for (const [type, language, typed, wanted] of cases) {
    it(`parses ${type} ${JSON.stringify(typed)} in ${language}`, () => {
      expect(parseNumber(type, typed, language)).to.deep.equal(wanted)
    })
  }

  it('round-trips through its formatted text in every language', () => {
    for (const language of Object.keys(LANGUAGES)) {
      fc.assert(
        fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
          const parsed = parseNumber('float', formatNumber(language, value), language)
          expect(parsed).to.deep.equal({ kind: 'value', value: value + 0 })
        }),
      )
    }
  })
})

describe('datetimes in browser inputs', () => {
  it('round-trip to the millisecond', () => {
    const date = fc.date({
      min: new Date('1900-01-01'),
      max: new Date('2200-01-01'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(date, (moment) => {
        const iso = moment.toISOString()
        const ms = String(moment.getTime())
        expect(fromInput('datetime', toInput('datetime', iso))).to.equal(iso)
        expect(fromInput('timestamp', toInput('timestamp', ms))).to.equal(ms)
      }),
    )
  })

  it('are empty for null', () => {
    for (const type of ['date', 'time', 'datetime', 'timestamp'] as const) {
      expect(toInput(type, null)).to.equal('')
      expect(fromInput(type, '')).to.equal(null)
    }
  })

  it('add seconds to a time', () => {
    expect(fromInput('time', '12:34')).to.equal('12:34:00')
    expect(fromInput('time', toInput('time', '12:34:56.789'))).to.equal('12:34:56.789')
  })
})

describe('slugs', () => {
  for (const [text, slug] of [
    ['A short history of the atlas', 'a-short-history-of-the-atlas'],
    ['Über Straßen & Brücken', 'ueber-strassen-bruecken'],
    ['Łódź, São Paulo, Ålesund', 'lodz-sao-paulo-aalesund'],
    ["L'été  —  déjà vu!", 'lete-deja-vu'],
    ['地図', ''],
    ['--', ''],
  ] as const) {
    it(`converts ${JSON.stringify(text)} to ${JSON.stringify(slug)}`, () => {
      expect(slugOf(text)).to.equal(slug)
    })
  }

  it('returns a valid uid for any text, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const slug = slugOf(text)
        expect(isUid(slug)).to.equal(true)
        expect(slugOf(slug)).to.equal(slug)
      }),
    )
  })
})

describe('labels of attribute names', () => {
  for (const [name, label] of [
    ['title', 'Title'],
    ['readingMinutes', 'Reading minutes'],
    ['seo-title', 'SEO title'],
    ['cca2', 'CCA2'],
    ['HTMLBody', 'HTML body'],
    ['meta_title', 'Meta title'],
  ] as const) {
    it(`converts ${name} to ${label}`, () => {
      expect(labelOf(name)).to.equal(label)
    })
  }
})
