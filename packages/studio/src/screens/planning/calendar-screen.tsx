import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Schedule, schedulesQuery } from '../../api/schedules.ts'
import { sayError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './planning.module.css'
import { ScheduleLink, titleOfSchedule, useScheduleNote } from './schedule-link.tsx'

export function CalendarScreen() {
  const { t, language } = useTexts()
  const [month, setMonth] = useState(() => firstOf(new Date(), 0))
  const until = firstOf(month, 1)
  const query = schedulesQuery(month.toISOString(), until.toISOString())
  const { data, isPending, error } = useQuery(query)
  const name = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric' }).format(month)
  return (
    <Page title={t('calendar.title')} narrow actions={<Months {...{ name, month, setMonth }} />}>
      {isPending && <Skeleton />}
      {error !== null && <Notice title={t('error.title')}>{error.message}</Notice>}
      {data?.schedules.length === 0 && (
        <Notice title={t('calendar.empty')}>{t('calendar.emptyHint')}</Notice>
      )}
      {data !== undefined && data.schedules.length > 0 && (
        <div className={styles['days']}>
          {byDay(data.schedules).map(([day, schedules]) => (
            <Day key={day} schedules={schedules} />
          ))}
        </div>
      )}
      {data?.isWhole === false && (
        <Notice title={t('calendar.more', { count: data.schedules.length })} />
      )}
    </Page>
  )
}

interface MonthsProps {
  readonly name: string
  readonly month: Date
  readonly setMonth: (month: Date) => void
}

function Months({ name, month, setMonth }: MonthsProps) {
  const { t } = useTexts()
  return (
    <div role="group" aria-label={t('calendar.month')} className={styles['month']}>
      <Button
        look="quiet"
        square
        aria-label={t('calendar.previous')}
        onPress={() => setMonth(firstOf(month, -1))}
      >
        <Icon name="left" />
      </Button>
      <span className={styles['monthName']} aria-live="polite">
        {name}
      </span>
      <Button
        look="quiet"
        square
        aria-label={t('calendar.next')}
        onPress={() => setMonth(firstOf(month, 1))}
      >
        <Icon name="right" />
      </Button>
      <Button onPress={() => setMonth(firstOf(new Date(), 0))}>{t('calendar.today')}</Button>
    </div>
  )
}

function Day({ schedules }: { readonly schedules: readonly Schedule[] }) {
  const { language } = useTexts()
  const date = new Date(schedules[0]?.at ?? '')
  const shown = new Intl.DateTimeFormat(language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  }).format(date)
  const isToday = date.toDateString() === new Date().toDateString()
  return (
    <section className={styles['day']} aria-label={shown}>
      <h2 className={`${styles['date']} ${isToday ? styles['today'] : ''}`}>{shown}</h2>
      <ul className={styles['events']}>
        {schedules.map((schedule) => (
          <Event key={schedule.id} schedule={schedule} />
        ))}
      </ul>
    </section>
  )
}

function Event({ schedule }: { readonly schedule: Schedule }) {
  const texts = useTexts()
  const { t, language } = texts
  const noteOf = useScheduleNote()
  const { at, failure } = schedule
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(new Date(at))
  return (
    <li className={styles['event']}>
      <time dateTime={at} className={styles['time']}>
        {time}
      </time>
      <ScheduleLink schedule={schedule} className={styles['link'] ?? ''}>
        {titleOfSchedule(schedule, texts)}
      </ScheduleLink>
      <span className={styles['quiet']}>{noteOf(schedule)}</span>
      {failure !== null && (
        <span className={styles['failure']}>
          {t('schedule.failed', { message: sayError(failure, texts) })}
        </span>
      )}
    </li>
  )
}

function firstOf(day: Date, months: number): Date {
  return new Date(day.getFullYear(), day.getMonth() + months, 1)
}

function byDay(
  schedules: readonly Schedule[],
): readonly (readonly [string, readonly Schedule[]])[] {
  const days = new Map<string, Schedule[]>()
  for (const schedule of schedules) {
    const day = new Date(schedule.at).toDateString()
    days.set(day, [...(days.get(day) ?? []), schedule])
  }
  return [...days]
}
