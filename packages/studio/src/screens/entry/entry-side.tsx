import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { EntrySession } from '../../entry/entry-session.ts'
import { apiNameOf, useTypes } from '../../api/content-types.ts'
import { type LocaleState, usagesQuery } from '../../api/entry-facts.ts'
import type { Presence } from '../../api/presence.ts'
import { useMay } from '../../api/session.ts'
import { Kbd } from '../../design/kbd.tsx'
import styles from '../../design/side-section.module.css'
import { SideSection } from '../../design/side-section.tsx'
import { useTexts } from '../../texts/texts.ts'
import { CommentsSection } from '../comments/comments-section.tsx'
import type { EntryComments } from '../comments/use-entry-comments.ts'
import { HistorySection } from '../history/history-section.tsx'
import { ReleaseSection } from '../planning/release-section.tsx'
import { ScheduleSection } from '../planning/schedule-section.tsx'
import { ReviewSection } from '../review/review-section.tsx'
import { AppView } from './app-view.tsx'
import { PicturesWithoutText } from './pictures-without-text.tsx'
import { LanguagesSection } from './languages-section.tsx'
import type { ShownLanguage } from './use-shown-language.ts'
import { UsageField } from '../../fields/usage-field.tsx'
import { usagesByEntry } from './usage-list.tsx'
import sideStyles from './entry-side.module.css'

export interface EntrySideProps {
  readonly session: EntrySession
  readonly states: readonly LocaleState[] | undefined
  readonly others: readonly Presence[]
  readonly shown: ShownLanguage
  readonly comments: EntryComments | null
}

export function EntrySide({ session, states, others, shown, comments }: EntrySideProps) {
  const { plan, door } = session
  const { t } = useTexts()
  const may = useMay()
  const mayPublish = may(`${plan.type.uid}.publish`, plan.locale ?? undefined)
  const documentId = door.documentId()
  return (
    <aside className={sideStyles['side']} aria-label={t('side.label')}>
      <div className={sideStyles['inside']}>
        {others.length > 0 && (
          <p className={sideStyles['note']} role="status">
            {t('side.others', {
              names: others.map(({ name }) => name).join(', '),
              count: others.length,
            })}
          </p>
        )}
        <PicturesWithoutText session={session} />
        {plan.type.localized && documentId !== null && (
          <LanguagesSection {...{ session, states, shown }} />
        )}
        {comments !== null && <Discussion {...{ session, comments }} />}
        <Published {...{ session, states }} />
        {documentId !== null && plan.type.draftAndPublish && (
          <>
            <ScheduleSection uid={plan.type.uid} documentId={documentId} locale={plan.locale} />
            <ReleaseSection uid={plan.type.uid} documentId={documentId} locale={plan.locale} />
          </>
        )}
        {documentId !== null && (
          <Usages uid={plan.type.uid} documentId={documentId} locale={plan.locale} />
        )}
        {documentId !== null && <HistorySection {...{ session, documentId }} />}
        {documentId !== null && <AppView session={session} documentId={documentId} />}
        <SideSection title={t('side.keys')}>
          <p className={styles['row']}>
            {t('side.keys.save')} <Kbd keys="mod+S" />
          </p>
          {plan.type.draftAndPublish && mayPublish && (
            <p className={styles['row']}>
              {t('side.keys.publish')} <Kbd keys="mod+↵" />
            </p>
          )}
          {comments !== null && (
            <p className={styles['row']}>
              {t('side.keys.comment')} <Kbd keys="mod+alt+M" />
            </p>
          )}
          {plan.declaration.hasPreview && (
            <p className={styles['row']}>
              {t('side.keys.preview')} <Kbd keys="mod+alt+P" />
            </p>
          )}
        </SideSection>
      </div>
    </aside>
  )
}

interface DiscussionProps {
  readonly session: EntrySession
  readonly comments: EntryComments
}

function Discussion({ session, comments }: DiscussionProps) {
  const { entry, review, people } = comments
  return (
    <>
      {review !== null && <ReviewSection {...{ session, entry, review, people }} />}
      <CommentsSection comments={comments} attributes={session.plan.attributes} />
    </>
  )
}

function Published({ session, states }: Pick<EntrySideProps, 'session' | 'states'>) {
  const { plan } = session
  const { t, ago, moment } = useTexts()
  const publishedAt = states?.find(({ locale }) => locale === plan.locale)?.publishedAt
  if (typeof publishedAt !== 'string' || !plan.type.draftAndPublish) return null
  return (
    <SideSection title={t('side.published')}>
      <p className={styles['row']}>
        {t('side.publishedAt')}
        <b title={moment(publishedAt)}>{ago(publishedAt)}</b>
      </p>
    </SideSection>
  )
}

interface UsagesProps {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
}

function Usages({ uid, documentId, locale }: UsagesProps) {
  const { t } = useTexts()
  const types = useTypes()
  const { data } = useQuery(usagesQuery(uid, documentId))
  if (data === undefined || data.length === 0) return null
  return (
    <SideSection title={t('side.linkedFrom')}>
      <ul>
        {usagesByEntry(data, locale).map((usage) => {
          const type = types.find((one) => one.uid === usage.uid)
          const title = usage.title ?? usage.documentId
          return (
            <li
              key={`${usage.documentId} ${usage.field} ${usage.locale ?? ''}`}
              className={styles['row']}
            >
              {type === undefined ? (
                <span>{title}</span>
              ) : (
                <Link
                  to="/content/$type/$documentId"
                  params={{ type: apiNameOf(type), documentId: usage.documentId }}
                  search={{
                    ...(typeof usage.locale === 'string' && { locale: usage.locale }),
                    field: usage.field,
                    linked: documentId,
                  }}
                  className={styles['link']}
                >
                  {title}
                </Link>
              )}
              <span className={styles['quiet']}>
                <UsageField uid={usage.uid} field={usage.field} />
              </span>
            </li>
          )
        })}
      </ul>
    </SideSection>
  )
}
