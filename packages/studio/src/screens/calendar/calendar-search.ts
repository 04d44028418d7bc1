import {
  type CalendarDay,
  type CalendarMonth,
  isCalendarDay,
  isCalendarMonth,
} from './calendar-days.ts'

export interface CalendarSearch {
  /** The current month if missing. */
  readonly month?: CalendarMonth
  /** The day that is open. */
  readonly day?: CalendarDay
}

/** Ignored values are set explicitly, because the router merges the result over the raw search. */
export function readCalendarSearch({ month, day }: Record<string, unknown>): CalendarSearch {
  return {
    ...({ month: undefined, day: undefined } as object),
    ...(isCalendarMonth(month) && { month }),
    ...(isCalendarDay(day) && { day }),
  }
}
