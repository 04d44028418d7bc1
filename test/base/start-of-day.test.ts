import { expect } from 'chai'
import * as fc from 'fast-check'
import { startOfDay } from '../../src/base/start-of-day.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Pacific/Kiritimati',
  'Pacific/Marquesas',
  'America/Santiago',
  'Africa/Cairo',
  'America/New_York',
]

function startIn(day: string, zone: string): string {
  return startOfDay(new Date(day), zone).toISOString()
}

describe('startOfDay', () => {
  it('follows the clocks of a zone', () => {
    expect(startIn('2024-07-02', 'UTC')).to.equal('2024-07-02T00:00:00.000Z')
    expect(startIn('2024-07-02', 'Europe/Berlin')).to.equal('2024-07-01T22:00:00.000Z')
    expect(startIn('2024-03-31', 'Europe/Berlin')).to.equal('2024-03-30T23:00:00.000Z')
    expect(startIn('2024-04-01', 'Europe/Berlin')).to.equal('2024-03-31T22:00:00.000Z')
  })

  it('takes the first moment of a day without midnight', () => {
    expect(startIn('2024-09-08', 'America/Santiago')).to.equal('2024-09-08T04:00:00.000Z')
  })

  it('is a midnight in UTC only if the day begins then, so that it can be repeated', () => {
    const day = fc.integer({ min: -20_000, max: 40_000 }).map((days) => days * 86_400_000)
    fc.assert(
      fc.property(day, fc.constantFrom(...ZONES), (at, zone) => {
        const start = startOfDay(new Date(at), zone).getTime()
        const isMidnight = start % 86_400_000 === 0
        const again = isMidnight ? startOfDay(new Date(start), zone).getTime() : start
        expect(again).to.equal(start)
        expect(Math.abs(start - at)).to.be.at.most(16 * 3_600_000)
      }),
    )
  })
})
