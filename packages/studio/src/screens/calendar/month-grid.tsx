import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { Schedule } from '../../api/schedules.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './calendar.module.css'
import {
  addDays,
  addMonths,
  type CalendarDay,
  type CalendarMonth,
  dayFormat,
  endOfWeek,
  isCalendarDay,
  monthOf,
  startOfWeek,
} from './calendar-days.ts'
import { DayChips } from './day-chips.tsx'
import type { SchedulesByDay } from './schedules-of-day.tsx'
import { type DragToDay, useDragToDay } from './use-drag-to-day.ts'

export interface MonthGridProps {
  readonly label: string
  readonly month: CalendarMonth
  readonly weeks: readonly (readonly CalendarDay[])[]
  readonly firstWeekday: number
  readonly today: CalendarDay
  readonly schedules: SchedulesByDay
  /** Dots instead of titles. */
  readonly isCompact: boolean
  readonly isBusy: boolean
  readonly onMonth: (month: CalendarMonth) => void
  readonly onOpen: (day: CalendarDay) => void
  readonly onMove: (schedule: Schedule, day: CalendarDay) => void
  /** The id of a text that explains how schedules are moved. */
  readonly hintId: string | undefined
}

export function MonthGrid(props: MonthGridProps) {
  const { label, month, weeks, firstWeekday, today, isCompact, isBusy } = props
  const { hintId, onMonth, onOpen, onMove } = props
  const { language } = useTexts()
  const table = useRef<HTMLTableElement>(null)
  const { stop, moveTo, enter } = useOneStop(table, { month, today, onMonth })
  const drag = useDragToDay((id, day) => {
    const dragged = [...props.schedules.values()].flat().find((one) => one.id === id)
    if (dragged !== undefined) onMove(dragged, day)
  })
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>): void => {
    const day = dayAt(event)
    if (day === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const isOpening = event.key === 'Enter' || event.key === ' '
    const to = isOpening ? day : dayForKey(event, day, firstWeekday)
    if (to === null) return
    event.preventDefault()
    if (isOpening) onOpen(day)
    else moveTo(to)
  }
  const onClick = (event: MouseEvent): void => {
    const day = dayAt(event)
    const isLink = event.target instanceof Element && event.target.closest('a') !== null
    if (day !== undefined && !isLink) onOpen(day)
  }
  return (
    <table
      ref={table}
      role="grid"
      aria-label={label}
      aria-busy={isBusy}
      aria-describedby={hintId}
      className={`${styles['grid']} ${isCompact ? styles['compact'] : ''}`}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onFocus={(event) => enter(dayAt(event))}
    >
      <Weekdays days={weeks[0] ?? []} language={language} isCompact={isCompact} />
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <DayCell key={day} {...props} {...{ day, drag }} isStop={day === stop} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface OneStop {
  /** The day that the Tab key reaches. */
  readonly stop: CalendarDay
  readonly moveTo: (day: CalendarDay) => void
  /** After the focus has moved. */
  readonly enter: (day: CalendarDay | undefined) => void
}

/** Keeps the focus in the table when a key leads to another month. */
function useOneStop(
  table: RefObject<HTMLTableElement | null>,
  { month, today, onMonth }: Pick<MonthGridProps, 'month' | 'today' | 'onMonth'>,
): OneStop {
  const [active, setActive] = useState<CalendarDay | null>(null)
  const isMoving = useRef(false)
  const start = monthOf(today) === month ? today : `${month}-01`
  const stop = active !== null && monthOf(active) === month ? active : start
  useEffect(() => {
    if (!isMoving.current || stop !== active) return
    isMoving.current = false
    table.current?.querySelector<HTMLElement>(`[data-day="${stop}"]`)?.focus()
  }, [active, stop, table])
  const moveTo = (day: CalendarDay): void => {
    if (!isCalendarDay(day)) return
    isMoving.current = day !== active || monthOf(day) !== month
    setActive(day)
    if (monthOf(day) !== month) onMonth(monthOf(day))
  }
  const enter = (day: CalendarDay | undefined): void => {
    if (day !== undefined && !isMoving.current) setActive(day)
  }
  return { stop, moveTo, enter }
}

function dayAt({ target }: { readonly target: EventTarget }): CalendarDay | undefined {
  if (!(target instanceof Element)) return undefined
  return target.closest<HTMLElement>('[data-day]')?.dataset['day']
}

const MONTHS_PER_YEAR = 12
const DAYS_PER_WEEK = 7

function dayForKey(
  { key, shiftKey }: KeyboardEvent,
  day: CalendarDay,
  firstWeekday: number,
): CalendarDay | null {
  const months = shiftKey ? MONTHS_PER_YEAR : 1
  const moves: Readonly<Record<string, () => CalendarDay>> = {
    ArrowLeft: () => addDays(day, -1),
    ArrowRight: () => addDays(day, 1),
    ArrowUp: () => addDays(day, -DAYS_PER_WEEK),
    ArrowDown: () => addDays(day, DAYS_PER_WEEK),
    Home: () => startOfWeek(day, firstWeekday),
    End: () => endOfWeek(day, firstWeekday),
    PageUp: () => addMonths(day, -months),
    PageDown: () => addMonths(day, months),
  }
  return moves[key]?.() ?? null
}

interface WeekdaysProps {
  readonly days: readonly CalendarDay[]
  readonly language: string
  readonly isCompact: boolean
}

function Weekdays({ days, language, isCompact }: WeekdaysProps) {
  const nameOf = dayFormat(language, { weekday: 'long' })
  const shortOf = dayFormat(language, { weekday: isCompact ? 'narrow' : 'short' })
  return (
    <thead>
      <tr>
        {days.map((day) => (
          <th key={day} scope="col" aria-label={nameOf(day)} className={styles['weekday']}>
            {shortOf(day)}
          </th>
        ))}
      </tr>
    </thead>
  )
}

interface DayCellProps extends MonthGridProps {
  readonly day: CalendarDay
  readonly isStop: boolean
  readonly drag: DragToDay
}

function DayCell(props: DayCellProps) {
  const { day, isStop, drag, month, today, schedules, isCompact, isBusy } = props
  const { t, language } = useTexts()
  const own = schedules.get(day) ?? []
  const date = dayFormat(language, { dateStyle: 'full' })(day)
  const count = t(own.length === 0 ? 'calendar.none' : 'calendar.count', { count: own.length })
  const names = [
    styles['cell'],
    monthOf(day) === month ? '' : styles['outside'],
    day === today ? styles['today'] : '',
    day === drag.over && day >= today ? styles['over'] : '',
  ]
  return (
    <td
      role="gridcell"
      data-day={day}
      tabIndex={isStop ? 0 : -1}
      aria-current={day === today ? 'date' : undefined}
      className={names.join(' ')}
    >
      <span className={styles['spoken']}>{isBusy ? date : `${date}, ${count}`}</span>
      <span className={styles['number']} aria-hidden="true">
        {Number(day.slice(-2))}
      </span>
      <DayChips schedules={own} isCompact={isCompact} onDragStart={drag.start} />
    </td>
  )
}
