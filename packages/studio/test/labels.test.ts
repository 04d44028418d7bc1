import { expect } from 'chai'
import { describePattern } from '../src/texts/describe-pattern.ts'
import { labelOf } from '../src/texts/labels.ts'
import { rankTitle } from '../src/api/rank-title.ts'
import { english } from '../src/texts/english.ts'
import { textsOf } from '../src/texts/texts.ts'

const texts = textsOf('en', english)

describe('labels of attributes', () => {
  it('show acronyms in capitals', () => {
    const names = [
      'seo',
      'url',
      'cca2',
      'imageUrls',
      'seo-title',
      'readingMinutes',
      'ids',
      'FAQs',
      'URLsOfPage',
    ]
    expect(names.map(labelOf)).to.deep.equal([
      'SEO',
      'URL',
      'CCA2',
      'Image URLs',
      'SEO title',
      'Reading minutes',
      'IDs',
      'FAQs',
      'URLs of page',
    ])
  })
})

describe('patterns in words', () => {
  it('name the characters and their number', () => {
    const said = (pattern: string): string => describePattern(pattern, texts)
    expect(said('^[A-Z]{3}$')).to.equal('3 capital letters')
    expect(said('^[0-9]{2,4}$')).to.equal('2 to 4 digits')
    expect(said('^\\d{2,}$')).to.equal('at least 2 digits')
    expect(said('^[a-z0-9-]+$')).to.equal('only lowercase letters, digits or hyphens')
  })

  it('never show a regular expression', () => {
    for (const pattern of ['^(a|b)+$', '[A-Z]{3}', '^[^x]*$', '^[constructor]$']) {
      expect(describePattern(pattern, texts)).to.equal('in a fixed format')
    }
  })
})

describe('file sizes', () => {
  it('use the plural', () => {
    expect([1, 110, 2_000].map(texts.bytes)).to.deep.equal(['1 byte', '110 bytes', '2 kB'])
  })
})

describe('the rank of a title', () => {
  it('is lower for a better match', () => {
    const titles = ['Australia', 'Iceland', 'New Land', 'Land of lakes', 'Land']
    const ranked = titles.toSorted((a, b) => rankTitle(a, 'land') - rankTitle(b, 'land'))
    expect(ranked).to.deep.equal(['Land', 'Land of lakes', 'New Land', 'Iceland', 'Australia'])
  })
})
