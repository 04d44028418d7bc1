import { expect } from 'chai'
import { delayAfter, parseRetryAfter, RETRIES } from '../../../src/changes/webhooks/retries.ts'

const least = (): number => 0
const most = (): number => 1
const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('delayAfter', () => {
  it('returns 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, then null', () => {
    const delays = Array.from({ length: 10 }, (_, index) =>
      delayAfter({ attempts: index + 1, retryAfterMs: null }, least),
    )
    expect(delays).to.deep.equal([
      5_000,
      5 * MINUTE,
      30 * MINUTE,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
      null,
    ])
    expect(RETRIES.length).to.equal(9)
  })

  it('adds a random delay of up to a fifth', () => {
    expect(delayAfter({ attempts: 2, retryAfterMs: null }, most)).to.equal(6 * MINUTE)
  })

  it('follows Retry-After between the usual delay and one day', () => {
    const asked = (retryAfterMs: number) => delayAfter({ attempts: 1, retryAfterMs }, least)
    expect(asked(MINUTE)).to.equal(MINUTE)
    expect(asked(1_000)).to.equal(5_000)
    expect(asked(1_000 * HOUR)).to.equal(24 * HOUR)
  })
})

describe('Retry-After', () => {
  const now = new Date('2026-03-01T10:00:00Z')
  const rows = [
    ['120', 120_000],
    [' 0 ', 0],
    ['Sun, 01 Mar 2026 10:01:00 GMT', 60_000],
    ['Sun, 01 Mar 2026 09:00:00 GMT', 0],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['2026-03-01', null],
    ['99999999999999', null],
    ['', null],
    [undefined, null],
  ] as const
  for (const [header, expected] of rows) {
    it(`parses ${String(header)} as ${String(expected)}`, () => {
      expect(parseRetryAfter(header, now)).to.equal(expected)
    })
  }
})
