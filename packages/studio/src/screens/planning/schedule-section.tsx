import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { factsKey } from '../../api/entry-facts.ts'
import {
  addSchedule,
  cancelSchedule,
  entrySchedulesQuery,
  retrySchedule,
  type Schedule,
} from '../../api/schedules.ts'
import { useLocales } from '../../api/locales.ts'
import { useMay } from '../../api/session.ts'
import { sayError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { useAction } from '../../design/use-action.ts'
import { useKeptFocus } from '../../design/use-kept-focus.ts'
import { SideSection } from '../../design/side-section.tsx'
import { useTexts } from '../../texts/texts.ts'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { TimeButton } from './time-button.tsx'
import styles from './planning.module.css'

export interface ScheduleSectionProps {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
}

const NO_SCHEDULES: readonly Schedule[] = []

export function ScheduleSection({ uid, documentId, locale }: ScheduleSectionProps) {
  const { t } = useTexts()
  const may = useMay()
  const { data = NO_SCHEDULES } = useQuery(entrySchedulesQuery(uid, documentId))
  useCarriedOut(uid, documentId, data)
  const action = useAction(['data.at'])
  const [isAdding, setAdding] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  useKeptFocus(box, ':scope > div > button')
  const own = data.filter(({ locales }) => locale === null || locales?.includes(locale) === true)
  const mayPlan = may(`${uid}.publish`, locale ?? undefined)
  if (own.length === 0 && !mayPlan) return null
  return (
    <SideSection title={t('schedule.title')}>
      <div ref={box}>
        {own.length > 0 && (
          <ul className={styles['schedules']}>
            {own.map((schedule) => (
              <Planned key={schedule.id} {...{ schedule, uid, documentId }} mayCancel={mayPlan} />
            ))}
          </ul>
        )}
        {mayPlan && (
          <div className={styles['add']}>
            <Button look="quiet" small onPress={() => setAdding(true)}>
              {t('schedule.add')}
            </Button>
          </div>
        )}
      </div>
      <ScheduleDialog
        isOpen={isAdding}
        onClose={() => {
          setAdding(false)
          action.reset()
        }}
        actions={['publish', 'unpublish']}
        action={action}
        onChoose={(chosen) =>
          action.run(() => addSchedule({ uid, documentId, locale, ...chosen }), {
            changes: ['schedules'],
            says: t('schedule.added'),
            onDone: () => setAdding(false),
          })
        }
      />
    </SideSection>
  )
}

/** Refreshes the entry when a schedule leaves the list, because it was carried out or cancelled. */
function useCarriedOut(uid: string, documentId: string, schedules: readonly Schedule[]): void {
  const client = useQueryClient()
  const before = useRef(schedules)
  useEffect(() => {
    const isLess = before.current.some(({ id }) => schedules.every((one) => one.id !== id))
    before.current = schedules
    if (!isLess) return
    void client.invalidateQueries({ queryKey: factsKey(uid, documentId) })
    void client.invalidateQueries({ queryKey: ['content', uid, 'list'] })
  }, [client, documentId, schedules, uid])
}

/** The parameter `locale` for the same languages, with or without a version of the entry. */
function useScheduledLocale({ locales }: Schedule): string | null {
  const codes = useLocales().map(({ code }) => code)
  if (locales === undefined) return null
  const isEvery = locales.length > 1 && codes.every((code) => locales.includes(code))
  return isEvery ? '*' : locales.join(',')
}

interface PlannedProps extends Pick<ScheduleSectionProps, 'uid' | 'documentId'> {
  readonly schedule: Schedule
  readonly mayCancel: boolean
}

function Planned({ schedule, uid, documentId, mayCancel }: PlannedProps) {
  const texts = useTexts()
  const { t, moment } = texts
  const action = useAction()
  const { id, at, failure, nextAttemptAt } = schedule
  const verb = schedule.action ?? 'publish'
  const locale = useScheduledLocale(schedule)
  return (
    <li className={styles['schedule']}>
      <span>
        {t(`schedule.${verb}At`, { moment: moment(at) })}
        {failure !== null && (
          <span className={styles['failure']}>
            {t('schedule.failed', { message: sayError(failure, texts) })}
            {nextAttemptAt !== null &&
              `; ${t('schedule.again', { moment: moment(nextAttemptAt) })}`}
          </span>
        )}
      </span>
      {mayCancel && failure !== null && (
        <Button
          look="quiet"
          small
          isPending={action.isBusy}
          onPress={() =>
            action.run(() => retrySchedule(id), {
              changes: ['schedules'],
              says: t('schedule.retried'),
            })
          }
        >
          {t('schedule.retry')}
        </Button>
      )}
      {mayCancel && <TimeButton schedule={schedule} />}
      {mayCancel && (
        <Button
          look="quiet"
          square
          small
          aria-label={t('schedule.cancel')}
          isPending={action.isBusy}
          onPress={() =>
            action.run(() => cancelSchedule(id), {
              changes: ['schedules'],
              says: t('schedule.cancelled'),
              undo: () => () => addSchedule({ uid, documentId, locale, action: verb, at }),
            })
          }
        >
          <Icon name="close" size={14} />
        </Button>
      )}
    </li>
  )
}
