import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useId, useRef } from 'react'
import { type Planned, type Schedule, schedulesQuery } from '../../api/schedules.ts'
import { Dialog } from '../../design/dialog.tsx'
import { FailedRead } from '../../design/failed-read.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { useIsNarrow } from '../../design/use-is-narrow.ts'
import { useTexts } from '../../texts/texts.ts'
import { useMayMove } from '../planning/use-may-move.ts'
import styles from './calendar.module.css'
import {
  addDays,
  type CalendarDay,
  calendarDayOf,
  dayFormat,
  firstWeekdayOf,
  monthOf,
  startOfCalendarDay,
  weeksOf,
} from './calendar-days.ts'
import type { CalendarSearch } from './calendar-search.ts'
import { MonthButtons } from './month-buttons.tsx'
import { MonthGrid } from './month-grid.tsx'
import { DayList, SchedulesOfDay } from './schedules-of-day.tsx'
import { useMoveSchedule } from './use-move-schedule.ts'
import { useToday } from './use-today.ts'

/** Narrower cells have no place for a title. */
const MIN_GRID_PX = 640

export function CalendarScreen() {
  const { t, language } = useTexts()
  const today = useToday()
  const search: CalendarSearch = useSearch({ from: '/shell/calendar' })
  const navigate = useNavigate({ from: '/calendar' })
  const month = search.month ?? monthOf(today)
  const firstWeekday = firstWeekdayOf(language, navigator.languages)
  const weeks = weeksOf(month, firstWeekday)
  const days = weeks.flat()
  const query = queryOf(days)
  const { data, isPending, error, refetch } = useQuery(query)
  const move = useMoveSchedule(query.queryKey)
  const mayMove = useMayMove()
  const hintId = useId()
  const box = useRef<HTMLDivElement>(null)
  const isNarrow = useIsNarrow(box, MIN_GRID_PX)
  const schedules = groupByDay(data?.schedules ?? [])
  const own = days.filter((day) => monthOf(day) === month)
  const isEmpty = data !== undefined && own.every((day) => !schedules.has(day))
  const open = days.find((day) => day === search.day)
  const hasHint = !isNarrow && [...schedules.values()].flat().some(mayMove)
  const hint = hasHint ? hintId : undefined
  const label = dayFormat(language, { month: 'long', year: 'numeric' })(`${month}-01`)
  const show = (to: CalendarSearch, replace = false): void => {
    void navigate({ search: to, replace })
  }
  const onMonth = (to: string): void => show(to === monthOf(today) ? {} : { month: to })
  return (
    <Page title={t('calendar.title')} actions={<MonthButtons {...{ label, month, onMonth }} />}>
      <div ref={box} className={styles['calendar']}>
        {error !== null && <FailedRead error={error} onRetry={() => void refetch()} />}
        <MonthGrid
          {...{ label, month, weeks, firstWeekday, today, schedules, onMonth }}
          isCompact={isNarrow}
          isBusy={data === undefined}
          onOpen={(day) => show({ ...search, day })}
          onMove={move}
          hintId={hint}
        />
        <CalendarNotes planned={data} isEmpty={isEmpty} hintId={hint} />
        {isNarrow && isPending && <Skeleton />}
        {isNarrow && <DayList days={own} today={today} schedules={schedules} />}
      </div>
      {open !== undefined && data !== undefined && (
        <OpenDay
          day={open}
          schedules={schedules.get(open) ?? []}
          onClose={() => show(search.month === undefined ? {} : { month: search.month }, true)}
        />
      )}
    </Page>
  )
}

interface CalendarNotesProps {
  readonly planned: Planned | undefined
  readonly isEmpty: boolean
  /** The id of the hint for drags; undefined without a schedule that the person may move. */
  readonly hintId: string | undefined
}

function CalendarNotes({ planned, isEmpty, hintId }: CalendarNotesProps) {
  const { t } = useTexts()
  return (
    <>
      {hintId !== undefined && (
        <p id={hintId} className={styles['note']}>
          {t('calendar.hint')}
        </p>
      )}
      {isEmpty && <p className={styles['note']}>{t('calendar.empty')}</p>}
      {planned?.isWhole === false && (
        <Notice title={t('calendar.more', { count: planned.schedules.length })} />
      )}
    </>
  )
}

interface OpenDayProps {
  readonly day: CalendarDay
  readonly schedules: readonly Schedule[]
  readonly onClose: () => void
}

function OpenDay({ day, schedules, onClose }: OpenDayProps) {
  const { t, language } = useTexts()
  const title = dayFormat(language, { dateStyle: 'full' })(day)
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {schedules.length === 0 ? (
        <p className={styles['quiet']}>{t('calendar.dayEmpty')}</p>
      ) : (
        <SchedulesOfDay schedules={schedules} />
      )}
    </Dialog>
  )
}

/** The visible days only. */
function queryOf(days: readonly CalendarDay[]) {
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const until = startOfCalendarDay(addDays(last, 1))
  return schedulesQuery(startOfCalendarDay(first).toISOString(), until.toISOString())
}

function groupByDay(schedules: readonly Schedule[]): ReadonlyMap<CalendarDay, readonly Schedule[]> {
  const days = new Map<CalendarDay, Schedule[]>()
  for (const schedule of schedules) {
    const day = calendarDayOf(new Date(schedule.at))
    const own = days.get(day)
    if (own === undefined) days.set(day, [schedule])
    else own.push(schedule)
  }
  return days
}
