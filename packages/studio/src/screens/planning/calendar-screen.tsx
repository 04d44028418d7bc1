import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { apiNameOf, useTypes } from '../../api/content-types.ts'
import { type Schedule, schedulesQuery } from '../../api/schedules.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './planning.module.css'

/** What is scheduled, a month at a time: the days on which something happens. */
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
      {data !== undefined && data.length === 0 && (
        <Notice title={t('calendar.empty')}>{t('calendar.emptyHint')}</Notice>
      )}
      {data !== undefined && data.length > 0 && (
        <div className={styles['days']}>
          {byDay(data).map(([day, schedules]) => (
            <Day key={day} schedules={schedules} />
          ))}
        </div>
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
  const { at, failure, locales = [] } = schedule
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(new Date(at))
  const verb = schedule.kind === 'release' ? t('calendar.release') : null
  const action = schedule.action === undefined ? null : t(`schedule.${schedule.action}`)
  const notes = [verb ?? action, ...locales.map(texts.locale)].filter((note) => note !== null)
  return (
    <li className={styles['event']}>
      <time dateTime={at} className={styles['time']}>
        {time}
      </time>
      <EventLink schedule={schedule} />
      <span className={styles['quiet']}>{notes.join(' · ')}</span>
      {failure !== null && (
        <span className={styles['failure']}>
          {t('schedule.failed', { message: failure.message })}
        </span>
      )}
    </li>
  )
}

function EventLink({ schedule }: { readonly schedule: Schedule }) {
  const { t } = useTexts()
  const types = useTypes()
  const { kind, id, uid, documentId = '', locales = [], title } = schedule
  const name = title === '' ? t('trash.untitled') : title
  if (kind === 'release') {
    return (
      <Link to="/releases/$release" params={{ release: id }} className={styles['link']}>
        {name}
      </Link>
    )
  }
  const type = types.find((one) => one.uid === uid)
  if (type === undefined) return <span className={styles['link']}>{name}</span>
  const to = type.kind === 'singleType' ? '/content/$type' : '/content/$type/$documentId'
  const [locale] = locales
  return (
    <Link
      to={to}
      params={{ type: apiNameOf(type), documentId }}
      search={locale === undefined ? {} : { locale }}
      className={styles['link']}
    >
      {name}
    </Link>
  )
}

/** The first moment of a month, so many after that of a day. */
function firstOf(day: Date, months: number): Date {
  return new Date(day.getFullYear(), day.getMonth() + months, 1)
}

/** By the day on the clock of whoever looks, in order. */
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
