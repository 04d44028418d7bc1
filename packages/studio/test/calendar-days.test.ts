import { expect } from 'chai'
import { assert, constantFrom, integer, property } from 'fast-check'
import {
  addDays,
  addMonths,
  calendarDayOf,
  endOfWeek,
  firstWeekdayOf,
  isCalendarDay,
  isCalendarMonth,
  monthOf,
  onCalendarDay,
  startOfCalendarDay,
  startOfWeek,
  weeksOf,
} from '../src/screens/calendar/calendar-days.ts'
import { readCalendarSearch } from '../src/screens/calendar/calendar-search.ts'

const FIRST_DAY = '2000-01-01'
const DAY_COUNT = 365_242

const day = integer({ min: 0, max: DAY_COUNT - 1 }).map((count) => addDays(FIRST_DAY, count))
const firstWeekday = integer({ min: 1, max: 7 })

/** 1 for Monday to 7 for Sunday. */
const weekdayOf = (text: string): number => ((new Date(text).getUTCDay() + 6) % 7) + 1

describe('the days of a calendar', () => {
  const zone = process.env['TZ']
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  for (const [situation, from, day, to] of [
    ['summer time has started', '2027-03-27T08:00:00Z', '2027-03-29', '2027-03-29T07:00:00Z'],
    ['the clocks skip the time', '2027-03-27T01:30:00Z', '2027-03-28', '2027-03-28T01:30:00Z'],
    ['the time occurs twice', '2027-10-30T00:30:00Z', '2027-10-31', '2027-10-31T00:30:00Z'],
    ['it was the second of two', '2027-10-31T01:30:00Z', '2027-11-01', '2027-11-01T01:30:00Z'],
    ['the month is shorter', '2027-01-31T22:30:00Z', '2027-02-28', '2027-02-28T22:30:00Z'],
  ] as const) {
    it(`keep the time of the clock where ${situation}`, () => {
      process.env['TZ'] = 'Europe/Berlin'
      expect(onCalendarDay(new Date(from), day)).to.deep.equal(new Date(to))
    })
  }

  it('fill whole weeks that cover the month without a gap', () => {
    assert(
      property(day, firstWeekday, (some, first) => {
        const month = monthOf(some)
        const weeks = weeksOf(month, first)
        const days = weeks.flat()
        expect(weeks.length).to.be.within(4, 6)
        for (const week of weeks) {
          expect(week).to.have.length(7)
          expect(weekdayOf(week[0] ?? '')).to.equal(first)
          expect(week.some((one) => monthOf(one) === month)).to.equal(true)
        }
        for (const [index, one] of days.entries()) {
          expect(one).to.equal(addDays(days[0] ?? '', index))
        }
        const [year, number] = month.split('-').map(Number)
        const length = new Date(Date.UTC(year ?? 0, number ?? 0, 0)).getUTCDate()
        expect(days.filter((one) => monthOf(one) === month)).to.have.length(length)
      }),
    )
  })

  it('move by days and weeks, and back', () => {
    assert(
      property(day, integer({ min: -500, max: 500 }), firstWeekday, (some, count, first) => {
        expect(addDays(addDays(some, count), -count)).to.equal(some)
        const [start, end] = [startOfWeek(some, first), endOfWeek(some, first)]
        expect(addDays(start, 6)).to.equal(end)
        expect(start <= some && some <= end).to.equal(true)
        expect(weekdayOf(start)).to.equal(first)
      }),
    )
  })

  it('move by months, and keep the day where the month has it', () => {
    assert(
      property(day, integer({ min: -40, max: 40 }), (some, count) => {
        const moved = addMonths(some, count)
        const [from, to] = [new Date(some), new Date(moved)]
        const months = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth()
        expect(months(to) - months(from)).to.equal(count)
        const isLast = monthOf(addDays(moved, 1)) !== monthOf(moved)
        const kept = to.getUTCDate() === from.getUTCDate()
        expect(kept || (isLast && to.getUTCDate() < from.getUTCDate())).to.equal(true)
      }),
    )
  })

  for (const [from, count, to] of [
    ['2027-12-31', 2, '2028-02-29'],
    ['2028-02-29', 12, '2029-02-28'],
    ['2028-02-29', 48, '2032-02-29'],
    ['2099-02-28', 12, '2100-02-28'],
    ['2028-03-31', -1, '2028-02-29'],
    ['2026-01-15', -1, '2025-12-15'],
  ] as const) {
    it(`are ${to} after ${count} months from ${from}`, () => {
      expect(addMonths(from, count)).to.equal(to)
    })
  }

  it('take four weeks in February 2027 with Monday, and six in May 2027 with Sunday', () => {
    expect(weeksOf('2027-02', 1)).to.have.length(4)
    expect(weeksOf('2027-05', 7)).to.have.length(6)
  })

  it('contain each moment from their start to the next start, in every zone', () => {
    const zones = constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'America/Havana',
      'America/Sao_Paulo',
      'Asia/Beirut',
      'Atlantic/Azores',
      'Pacific/Apia',
      'Asia/Kolkata',
      'UTC',
    )
    // Rules of summer time for the years that the zone database knows.
    const known = integer({ min: 0, max: 40 * 365 }).map((count) => addDays(FIRST_DAY, count))
    assert(
      property(zones, known, integer({ min: 0, max: 999_999 }), (name, some, part) => {
        process.env['TZ'] = name
        const start = startOfCalendarDay(some).getTime()
        const next = startOfCalendarDay(addDays(some, 1)).getTime()
        // Samoa skipped 2011-12-30 when it crossed the date line.
        if (start === next) {
          expect(`${name} ${some}`).to.equal('Pacific/Apia 2011-12-30')
          return
        }
        const moment = start + Math.floor(((next - start) * part) / 1_000_000)
        expect(calendarDayOf(new Date(moment))).to.equal(some)
        expect(calendarDayOf(new Date(start - 1)) < some).to.equal(true)
        expect(calendarDayOf(new Date(next))).not.to.equal(some)
      }),
      { numRuns: 2_000 },
    )
  })

  for (const [name, some, hours] of [
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['America/Sao_Paulo', '2018-11-04', 23],
    ['Pacific/Apia', '2011-12-30', 0],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ] as const) {
    it(`last ${hours} hours on ${some} in ${name}`, () => {
      process.env['TZ'] = name
      const next = startOfCalendarDay(addDays(some, 1)).getTime()
      expect((next - startOfCalendarDay(some).getTime()) / 3_600_000).to.equal(hours)
    })
  }
})

describe('firstWeekdayOf', () => {
  for (const [language, preferred, wanted] of [
    ['de', ['de'], 1],
    ['de', ['en-US', 'de-AT'], 1],
    ['de', [], 1],
    ['en', ['en-GB'], 1],
    ['en', ['en-US'], 7],
    ['en', ['de-DE', 'en-EG'], 6],
    ['en', [], 7],
    ['en', ['en-US@posix'], 7],
  ] as const) {
    it(`returns ${wanted} for ${language} and [${preferred.join(', ')}]`, () => {
      expect(firstWeekdayOf(language, preferred)).to.equal(wanted)
    })
  }
})

describe('readCalendarSearch', () => {
  it('accepts every day of the calendar, and its month', () => {
    assert(
      property(day, (some) => {
        expect(isCalendarDay(some)).to.equal(true)
        expect(isCalendarMonth(monthOf(some))).to.equal(true)
        const search = { month: monthOf(some), day: some }
        expect(readCalendarSearch(search)).to.deep.equal(search)
      }),
    )
  })

  it('ignores other values', () => {
    for (const wrong of ['2026-13', '2026-1', '1999-12', '3000-01', '2026', 2026, null, {}]) {
      expect(readCalendarSearch({ month: wrong }).month, JSON.stringify(wrong)).to.equal(undefined)
    }
    for (const wrong of ['2027-02-29', '2026-11-31', '2026-00-01', '2026-11-3', '', 7, null]) {
      expect(readCalendarSearch({ day: wrong }).day, JSON.stringify(wrong)).to.equal(undefined)
    }
  })
})
