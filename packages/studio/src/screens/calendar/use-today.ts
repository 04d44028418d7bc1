import { useEffect, useState } from 'react'
import { type CalendarDay, calendarDayOf } from './calendar-days.ts'

const CHECK_INTERVAL_MS = 30_000

/** Changes at midnight, because calendars stay open overnight. */
export function useToday(): CalendarDay {
  const [today, setToday] = useState(() => calendarDayOf(new Date()))
  useEffect(() => {
    const timer = setInterval(() => setToday(calendarDayOf(new Date())), CHECK_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [])
  return today
}
