/** A day as `2026-11-23`, without a time zone. */
export type CalendarDay = string

/** A month as `2026-11`. */
export type CalendarMonth = string

const DAY_MS = 86_400_000
const DAYS_PER_WEEK = 7
const MONTH_LENGTH = 'yyyy-mm'.length

/** Accepts the years 2000 to 2999, which the server reads as ISO dates without a sign. */
export function isCalendarMonth(text: unknown): text is CalendarMonth {
  return typeof text === 'string' && /^2\d{3}-(?:0[1-9]|1[0-2])$/.test(text)
}

export function isCalendarDay(text: unknown): text is CalendarDay {
  if (typeof text !== 'string' || !/^2\d{3}-\d{2}-\d{2}$/.test(text)) return false
  return isCalendarMonth(monthOf(text)) && addDays(text, 0) === text
}

/** The day on the clock of the browser. */
export function calendarDayOf(moment: Date): CalendarDay {
  return textOfDay(Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate()))
}

/**
 * First moment of the day in the time zone of the browser. In some zones the clocks go forward at
 * midnight, and the day starts later.
 */
export function startOfCalendarDay(day: CalendarDay): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date)
}

/** The same time of the clock on another day. A time that the clocks skip there is an hour later. */
export function onCalendarDay(moment: Date, day: CalendarDay): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const moved = new Date(moment)
  moved.setFullYear(year, month - 1, date)
  return moved
}

export function monthOf(day: CalendarDay): CalendarMonth {
  return day.slice(0, MONTH_LENGTH)
}

export function addDays(day: CalendarDay, count: number): CalendarDay {
  return textOfDay(utcOf(day) + count * DAY_MS)
}

/** Keeps the day of the month, or takes the last day of a shorter month. */
export function addMonths(day: CalendarDay, count: number): CalendarDay {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate()
  return textOfDay(Date.UTC(year, month - 1 + count, Math.min(date, last)))
}

/** `firstWeekday` is 1 for Monday to 7 for Sunday, as in `Intl.Locale`. */
export function startOfWeek(day: CalendarDay, firstWeekday: number): CalendarDay {
  const weekday = new Date(utcOf(day)).getUTCDay()
  return addDays(day, -((weekday - firstWeekday + 2 * DAYS_PER_WEEK) % DAYS_PER_WEEK))
}

export function endOfWeek(day: CalendarDay, firstWeekday: number): CalendarDay {
  return addDays(startOfWeek(day, firstWeekday), DAYS_PER_WEEK - 1)
}

/** The whole weeks that contain a day of the month. */
export function weeksOf(
  month: CalendarMonth,
  firstWeekday: number,
): readonly (readonly CalendarDay[])[] {
  const first = `${month}-01`
  const next = addMonths(first, 1)
  const weeks: (readonly CalendarDay[])[] = []
  for (let start = startOfWeek(first, firstWeekday); start < next;) {
    const from = start
    weeks.push(Array.from({ length: DAYS_PER_WEEK }, (_, index) => addDays(from, index)))
    start = addDays(start, DAYS_PER_WEEK)
  }
  return weeks
}

interface WeekInfo {
  readonly firstDay: number
}

/** Engines differ: a method, an older getter, or neither. */
interface LocaleWithWeek {
  readonly getWeekInfo?: () => WeekInfo
  readonly weekInfo?: WeekInfo
}

/**
 * 1 for Monday to 7 for Sunday. The region of the first preferred locale in the language of the
 * Studio decides: weeks start on Monday in `en-GB`, and on Sunday in `en-US`.
 */
export function firstWeekdayOf(language: string, preferred: readonly string[]): number {
  const tag = preferred.find((one) => one.slice(0, 2).toLowerCase() === language)
  return weekInfoOf(tag ?? language)?.firstDay ?? (language === 'en' ? SUNDAY : MONDAY)
}

const MONDAY = 1
const SUNDAY = 7

function weekInfoOf(tag: string): WeekInfo | undefined {
  try {
    const locale = new Intl.Locale(tag) as Intl.Locale & LocaleWithWeek
    return locale.getWeekInfo?.() ?? locale.weekInfo
  } catch {
    return undefined // not a language tag, for example `en-US@posix`
  }
}

/** Formats calendar days, whatever the time zone of the browser is. */
export function dayFormat(
  language: string,
  options: Intl.DateTimeFormatOptions,
): (day: CalendarDay) => string {
  const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
  return (day) => format.format(utcOf(day))
}

function utcOf(day: CalendarDay): number {
  return Date.parse(day)
}

function textOfDay(utc: number): CalendarDay {
  return new Date(utc).toISOString().slice(0, 'yyyy-mm-dd'.length)
}
