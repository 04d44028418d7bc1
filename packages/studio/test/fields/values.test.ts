import { expect } from 'chai'
import * as fc from 'fast-check'
import { labelOf } from '../../src/fields/labels.ts'
import { parseNumber } from '../../src/fields/number/parse-number.ts'
import { fromInput, toInput } from '../../src/fields/time/local-time.ts'
import { isUid, slugOf } from '../../src/fields/uid/slug-of.ts'

describe('what is typed as a number', () => {
  const cases = [
    ['integer', '', { kind: 'value', value: null }],
    ['integer', ' 12 ', { kind: 'value', value: 12 }],
    ['integer', '-2147483648', { kind: 'value', value: -2147483648 }],
    ['integer', '2147483648', { kind: 'unreadable', why: 'range' }],
    ['integer', '1.5', { kind: 'unreadable', why: 'whole' }],
    ['integer', '12a', { kind: 'unreadable', why: 'whole' }],
    ['biginteger', '9223372036854775807', { kind: 'value', value: '9223372036854775807' }],
    ['biginteger', '+7', { kind: 'value', value: '7' }],
    ['biginteger', '9223372036854775808', { kind: 'unreadable', why: 'range' }],
    ['float', '1,5', { kind: 'value', value: 1.5 }],
    ['float', '.5', { kind: 'value', value: 0.5 }],
    ['float', '1e3', { kind: 'value', value: 1000 }],
    ['float', '1e999', { kind: 'unreadable', why: 'range' }],
    ['float', '1,000.5', { kind: 'unreadable', why: 'number' }],
    ['float', '0x10', { kind: 'unreadable', why: 'number' }],
    ['decimal', '0.1', { kind: 'value', value: 0.1 }],
    ['decimal', '12345678901234567.25', { kind: 'value', value: '12345678901234567.25' }],
  ] as const
  for (const [type, typed, wanted] of cases) {
    it(`${type} ${JSON.stringify(typed)}`, () => {
      expect(parseNumber(type, typed)).to.deep.equal(wanted)
    })
  }
})

describe('moments in the inputs of a browser', () => {
  it('come back as they went in, to the millisecond', () => {
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

  it('are nothing where there is nothing', () => {
    for (const type of ['date', 'time', 'datetime', 'timestamp'] as const) {
      expect(toInput(type, null)).to.equal('')
      expect(fromInput(type, '')).to.equal(null)
    }
  })

  it('give a time its seconds', () => {
    expect(fromInput('time', '12:34')).to.equal('12:34:00')
    expect(fromInput('time', toInput('time', '12:34:56.789'))).to.equal('12:34:56.789')
  })
})

describe('a part of an address', () => {
  for (const [text, slug] of [
    ['A short history of the atlas', 'a-short-history-of-the-atlas'],
    ['Über Straßen & Brücken', 'ueber-strassen-bruecken'],
    ['Łódź, São Paulo, Ålesund', 'lodz-sao-paulo-aalesund'],
    ["L'été  —  déjà vu!", 'lete-deja-vu'],
    ['地図', ''],
    ['--', ''],
  ] as const) {
    it(`of ${JSON.stringify(text)} is ${JSON.stringify(slug)}`, () => {
      expect(slugOf(text)).to.equal(slug)
    })
  }

  it('is one that the server takes, whatever the text, and its own slug', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const slug = slugOf(text)
        expect(isUid(slug)).to.equal(true)
        expect(slugOf(slug)).to.equal(slug)
      }),
    )
  })
})

describe('names of attributes', () => {
  for (const [name, label] of [
    ['title', 'Title'],
    ['readingMinutes', 'Reading minutes'],
    ['seo-title', 'Seo title'],
    ['cca2', 'Cca2'],
    ['HTMLBody', 'HTML body'],
    ['meta_title', 'Meta title'],
  ] as const) {
    it(`${name} is ${label}`, () => {
      expect(labelOf(name)).to.equal(label)
    })
  }
})
