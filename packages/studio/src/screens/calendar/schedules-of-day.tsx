import { useRef } from 'react'
import { sayError } from '../../api/request.ts'
import type { Schedule } from '../../api/schedules.ts'
import { useKeptFocus } from '../../design/use-kept-focus.ts'
import { useTexts } from '../../texts/texts.ts'
import { ScheduleLink, titleOfSchedule, useScheduleNote } from '../planning/schedule-link.tsx'
import { TimeButton } from '../planning/time-button.tsx'
import { useMayMove } from '../planning/use-may-move.ts'
import styles from './calendar.module.css'
import { type CalendarDay, dayFormat } from './calendar-days.ts'

export type SchedulesByDay = ReadonlyMap<CalendarDay, readonly Schedule[]>

export interface DayListProps {
  readonly days: readonly CalendarDay[]
  readonly today: CalendarDay
  readonly schedules: SchedulesByDay
}

/** The days that have schedules. */
export function DayList({ days, today, schedules }: DayListProps) {
  const { language } = useTexts()
  const nameOf = dayFormat(language, { weekday: 'short', day: 'numeric', month: 'short' })
  return days.map((day) => {
    const own = schedules.get(day)
    if (own === undefined) return null
    return (
      <section key={day} className={styles['listDay']} aria-label={nameOf(day)}>
        <h2 className={`${styles['date']} ${day === today ? styles['today'] : ''}`}>
          {nameOf(day)}
        </h2>
        <SchedulesOfDay schedules={own} />
      </section>
    )
  })
}

export function SchedulesOfDay({ schedules }: { readonly schedules: readonly Schedule[] }) {
  const box = useRef<HTMLUListElement>(null)
  useKeptFocus(box, 'a, button')
  return (
    <ul ref={box} className={styles['events']}>
      {schedules.map((schedule) => (
        <Event key={schedule.id} schedule={schedule} />
      ))}
    </ul>
  )
}

function Event({ schedule }: { readonly schedule: Schedule }) {
  const texts = useTexts()
  const { t } = texts
  const noteOf = useScheduleNote()
  const mayMove = useMayMove()
  const { at, failure } = schedule
  return (
    <li className={styles['event']}>
      <time dateTime={at} className={styles['time']}>
        {timeOf(schedule, texts.language)}
      </time>
      <ScheduleLink schedule={schedule} className={styles['link'] ?? ''}>
        {titleOfSchedule(schedule, texts)}
      </ScheduleLink>
      <span className={styles['quiet']}>{noteOf(schedule)}</span>
      {mayMove(schedule) && <TimeButton schedule={schedule} />}
      {failure !== null && (
        <span className={styles['failure']}>
          {t('schedule.failed', { message: sayError(failure, texts) })}
        </span>
      )}
    </li>
  )
}

/** In the time zone of the browser. */
export function timeOf({ at }: Schedule, language: string): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(new Date(at))
}
