import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { allSchedulesQuery, type Schedule } from '../../api/schedules.ts'
import type { FailedWebhook } from '../../api/recent.ts'
import { sayError } from '../../api/request.ts'
import { useTexts } from '../../texts/texts.ts'
import { ScheduleLink, titleOfSchedule, useScheduleNote } from '../planning/schedule-link.tsx'
import styles from './home-screen.module.css'

/** A failed schedule, or a webhook that was turned off by its receiver or missed events. */
export type FailedAction =
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  | { readonly kind: 'webhook'; readonly webhook: FailedWebhook }

export interface ToCome {
  readonly scheduled: readonly Schedule[]
  readonly failures: readonly FailedAction[]
}

export function useToCome(failed: readonly FailedWebhook[]): ToCome {
  const { data: schedules = [] } = useQuery(allSchedulesQuery)
  return {
    scheduled: schedules.filter(({ failure }) => failure === null),
    failures: [
      ...schedules
        .filter(({ failure }) => failure !== null)
        .map((schedule) => ({ kind: 'schedule', schedule }) as const),
      ...failed.map((webhook) => ({ kind: 'webhook', webhook }) as const),
    ],
  }
}

const MAX_SHOWN_ACTIONS = 5

export function Scheduled({ schedules }: { readonly schedules: readonly Schedule[] }) {
  const texts = useTexts()
  const { t } = texts
  const noteOf = useScheduleNote()
  if (schedules.length === 0) return null
  return (
    <section aria-label={t('home.scheduled')} className={styles['section']}>
      <div className={styles['heading']}>
        <h2 className={styles['title']}>{t('home.scheduled')}</h2>
        <Link to="/calendar" className={styles['all']}>
          {t('calendar.title')}
        </Link>
      </div>
      <ul>
        {schedules.slice(0, MAX_SHOWN_ACTIONS).map((schedule) => (
          <li key={schedule.id}>
            <ScheduleLink schedule={schedule} className={styles['entry'] ?? ''}>
              <span className={styles['text']}>
                <span className={styles['name']}>{titleOfSchedule(schedule, texts)}</span>
                <span className={styles['note']}>
                  {[texts.moment(schedule.at), noteOf(schedule)].join(' · ')}
                </span>
              </span>
            </ScheduleLink>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Failed({ failures }: { readonly failures: readonly FailedAction[] }) {
  const { t } = useTexts()
  if (failures.length === 0) return null
  return (
    <section aria-label={t('home.failed')} className={styles['section']}>
      <h2 className={styles['title']}>{t('home.failed')}</h2>
      <ul>
        {failures.slice(0, MAX_SHOWN_ACTIONS).map((failure) => (
          <li key={failure.kind === 'schedule' ? failure.schedule.id : failure.webhook.id}>
            {failure.kind === 'schedule' ? (
              <FailedSchedule schedule={failure.schedule} />
            ) : (
              <WebhookLink webhook={failure.webhook} />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function FailedSchedule({ schedule }: { readonly schedule: Schedule }) {
  const texts = useTexts()
  const noteOf = useScheduleNote()
  return (
    <ScheduleLink schedule={schedule} className={styles['entry'] ?? ''}>
      <span className={styles['text']}>
        <span className={styles['name']}>{titleOfSchedule(schedule, texts)}</span>
        <span className={styles['note']}>
          {[texts.moment(schedule.at), noteOf(schedule)].join(' · ')}
        </span>
        <span className={styles['failure']}>
          {schedule.failure !== null && sayError(schedule.failure, texts)}
        </span>
      </span>
    </ScheduleLink>
  )
}

function WebhookLink({ webhook }: { readonly webhook: FailedWebhook }) {
  const { t } = useTexts()
  const { name, url, missed } = webhook
  return (
    <Link to="/settings/$section" params={{ section: 'webhooks' }} className={styles['entry']}>
      <span className={styles['text']}>
        <span className={styles['name']}>{name}</span>
        <span className={styles['note']}>{url}</span>
        <span className={styles['failure']}>
          {missed === null
            ? t('webhook.gone')
            : t('webhook.missed', { from: missed.from, to: missed.to })}
        </span>
      </span>
    </Link>
  )
}
