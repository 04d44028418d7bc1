import type { PointerEvent } from 'react'
import type { Schedule } from '../../api/schedules.ts'
import { Icon } from '../../design/icons/icon.tsx'
import { useTexts } from '../../texts/texts.ts'
import { ScheduleLink, titleOfSchedule, useScheduleNote } from '../planning/schedule-link.tsx'
import { useMayMove } from '../planning/use-may-move.ts'
import styles from './calendar.module.css'
import { timeOf } from './schedules-of-day.tsx'

const MAX_LINES = 3

export interface DayChipsProps {
  readonly schedules: readonly Schedule[]
  readonly isCompact: boolean
  readonly onDragStart: (id: string, event: PointerEvent<HTMLElement>) => void
}

/** The keyboard reaches the links in the opened day, so that the grid has one tab stop. */
export function DayChips({ schedules, isCompact, onDragStart }: DayChipsProps) {
  const { t } = useTexts()
  if (schedules.length === 0) return null
  if (isCompact) {
    return (
      <span className={styles['dots']} aria-hidden="true">
        {schedules.slice(0, MAX_LINES).map((schedule) => (
          <span key={schedule.id} className={`${styles['dot']} ${styles[kindOf(schedule)]}`} />
        ))}
      </span>
    )
  }
  const shown = schedules.length > MAX_LINES ? MAX_LINES - 1 : MAX_LINES
  return (
    <ul className={styles['chips']}>
      {schedules.slice(0, shown).map((schedule) => (
        <li key={schedule.id}>
          <Chip schedule={schedule} onDragStart={onDragStart} />
        </li>
      ))}
      {schedules.length > shown && (
        <li>
          <button type="button" tabIndex={-1} className={styles['rest']}>
            {t('calendar.rest', { count: schedules.length - shown })}
          </button>
        </li>
      )}
    </ul>
  )
}

type ChipKind = 'publish' | 'unpublish' | 'release' | 'failed'

function kindOf({ kind, action, failure }: Schedule): ChipKind {
  if (failure !== null) return 'failed'
  return kind === 'release' ? 'release' : (action ?? 'publish')
}

const CHIP_ICONS = {
  publish: 'publish',
  unpublish: 'unpublish',
  release: 'releases',
  failed: 'warning',
} as const

interface ChipProps extends Pick<DayChipsProps, 'onDragStart'> {
  readonly schedule: Schedule
}

function Chip({ schedule, onDragStart }: ChipProps) {
  const texts = useTexts()
  const mayMove = useMayMove()
  const { t, language } = texts
  const noteOf = useScheduleNote()
  const kind = kindOf(schedule)
  const time = timeOf(schedule, language)
  const title = titleOfSchedule(schedule, texts)
  const failed = kind === 'failed' ? [t('calendar.failed')] : []
  return (
    <ScheduleLink
      schedule={schedule}
      className={`${styles['chip']} ${styles[kind]}`}
      hint={[`${time} ${title}`, noteOf(schedule), ...failed].join(' · ')}
      {...(mayMove(schedule) && { onPointerDown: (event) => onDragStart(schedule.id, event) })}
    >
      <Icon name={CHIP_ICONS[kind]} size={12} />
      <span className={styles['chipTime']}>{time}</span>
      <span className={styles['chipTitle']}>{title}</span>
    </ScheduleLink>
  )
}
