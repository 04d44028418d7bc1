import { SCALAR_TYPES } from '@quire/schema/attributes'
import { expect } from 'chai'
import { type ConversionKind, conversionKind } from '../../../src/schema/ledger/conversions.ts'

const LISTS = ['component', 'media', 'relation to one'] as const
const MANY = ['component list', 'media list', 'relation to many'] as const
const ALL = [...SCALAR_TYPES, ...LISTS, ...MANY, 'dynamiczone']

function targets(from: string, kind: ConversionKind): readonly string[] {
  return ALL.filter(
    (to) => to !== from && conversionKind({ type: from }, { type: to }) === kind,
  ).toSorted()
}

describe('conversionKind', () => {
  it('keeps the values of texts in other texts, and checks those in texts of a form', () => {
    for (const from of ['string', 'text', 'richtext', 'email', 'uid', 'enumeration', 'time']) {
      const others = (names: readonly string[]) => names.filter((name) => name !== from)
      expect(targets(from, 'equal')).to.deep.equal(others(['json', 'richtext', 'string', 'text']))
      expect(targets(from, 'checked')).to.deep.equal(
        others(['email', 'enumeration', 'time', 'uid']),
      )
    }
  })

  it('checks numbers', () => {
    expect(targets('integer', 'equal')).to.deep.equal(['float'])
    expect(targets('integer', 'checked')).to.deep.equal(['biginteger', 'decimal'])
    expect(targets('decimal', 'checked')).to.deep.equal(['biginteger', 'float', 'integer'])
  })

  it('keeps moments, and checks days', () => {
    expect(targets('datetime', 'equal')).to.deep.equal(['timestamp'])
    expect(targets('datetime', 'checked')).to.deep.equal(['date'])
    expect(targets('date', 'checked')).to.deep.equal(['datetime', 'timestamp'])
  })

  it('checks lists against one value', () => {
    for (const [place, one] of LISTS.entries()) {
      const many = MANY[place] ?? ''
      expect(targets(one, 'checked')).to.deep.equal([many])
      expect(targets(many, 'checked')).to.deep.equal([one])
    }
  })

  it('keeps no value of a password, a boolean, a place or a zone', () => {
    for (const type of ['password', 'boolean', 'location', 'dynamiczone']) {
      expect(targets(type, 'none')).to.have.length(ALL.length - 1)
      for (const from of ALL.filter((other) => other !== type)) {
        expect(conversionKind({ type: from }, { type })).to.equal('none')
      }
    }
  })
})
