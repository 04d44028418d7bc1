import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  isoText,
  momentOf,
  parseDate,
  parseDatetime,
  parseTime,
} from '../../../src/schema/values/temporal.ts'

describe('parseDatetime', () => {
  const rows: readonly [string, string | null][] = [
    ['2024-02-29T10:00Z', '2024-02-29T10:00:00.000Z'],
    ['2024-02-29 10:00:00Z', '2024-02-29T10:00:00.000Z'],
    ['2024-02-29T10:00:00.123456Z', '2024-02-29T10:00:00.123Z'],
    ['2024-02-29T10:00:00.5Z', '2024-02-29T10:00:00.500Z'],
    ['2024-02-29T10:00:00-0530', '2024-02-29T15:30:00.000Z'],
    ['2024-02-29T10:00:00+14', '2024-02-28T20:00:00.000Z'],
    ['0050-01-01', '0050-01-01T00:00:00.000Z'],
    ['+012024-01-01T00:00:00.000Z', '+012024-01-01T00:00:00.000Z'],
    ['-000001-01-01T00:00:00.000Z', '-000001-01-01T00:00:00.000Z'],
    ['-1', '1969-12-31T23:59:59.999Z'],
    ['2023-02-29T10:00:00Z', null],
    ['2024-13-01T10:00:00Z', null],
    ['2024-02-29T10:60:00Z', null],
    ['2024-02-29T10:00:00+24:00', null],
    ['2024-02-29T10:00:00 CET', null],
    ['Thu, 29 Feb 2024 10:00:00 GMT', null],
    ['1.5', null],
    ['', null],
  ]
  for (const [text, expected] of rows) {
    it(`parses ${JSON.stringify(text)} as ${expected}`, () => {
      expect(parseDatetime(text)?.toISOString() ?? null).to.equal(expected)
    })
  }
})

describe('parseDate', () => {
  const rows: readonly [string, string][] = [
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0000-01-01', '0000-01-01T00:00:00.000Z'],
    ['2024-02-29T10:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2023-02-29', 'Invalid date'],
    ['2024-02-29 or so', 'Invalid format, expected yyyy-MM-dd'],
    ['+012024-01-01', 'Invalid format, expected yyyy-MM-dd'],
  ]
  for (const [text, expected] of rows) {
    it(`parses ${text} as ${expected}`, () => {
      const date = parseDate(text)
      expect(date instanceof Date ? date.toISOString() : date).to.equal(expected)
    })
  }
})

describe('parseTime', () => {
  const rows: readonly [string, string | null][] = [
    ['10:20:30', '10:20:30.000'],
    ['10:20:30.5', '10:20:30.500'],
    ['23:59:59.999', '23:59:59.999'],
    ['10:20:30.1234', null],
    ['10:20:60', null],
    ['1:20:30', null],
    ['10:20', null],
  ]
  for (const [text, expected] of rows) {
    it(`parses ${text} as ${expected}`, () => {
      expect(parseTime(text)).to.equal(expected)
    })
  }
})

describe('momentOf', () => {
  it('is limited to the range of Date', () => {
    expect(momentOf(8.64e15)?.getTime()).to.equal(8.64e15)
    expect(momentOf(8.64e15 + 1)).to.equal(null)
    expect(momentOf(Number.NaN)).to.equal(null)
  })
})

describe('isoText', () => {
  it('equals toISOString of Date', () => {
    const moment = fc.oneof(
      fc.date({ noInvalidDate: true }).map((date) => date.getTime()),
      fc.constantFrom(0, -1, 86_399_999, 86_400_000, -86_400_000, 8.64e15, -8.64e15),
    )
    const property = fc.property(fc.array(moment), (moments) => {
      const written = moments.map((ms) => new Date(ms).toISOString())
      expect(moments.map(isoText)).to.deep.equal(written)
    })
    fc.assert(property, { numRuns: 1_000 })
  })

  it('throws for times out of range and works afterwards', () => {
    expect(isoText(8.64e15)).to.equal('+275760-09-13T00:00:00.000Z')
    for (const ms of [NaN, Infinity, 8.64e15 + 1]) expect(() => isoText(ms)).to.throw(RangeError)
    expect(isoText(0)).to.equal('1970-01-01T00:00:00.000Z')
  })
})
