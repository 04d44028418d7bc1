import { useInfiniteQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { EntrySession } from '../../entry/entry-session.ts'
import { historyQuery } from '../../api/history.ts'
import { Button } from '../../design/button.tsx'
import { lazyPart } from '../../design/load-part.tsx'
import { LoadBoundary } from '../../design/not-loaded.tsx'
import { useOwnNotices } from '../../design/use-own-notices.ts'
import { authorOf } from '../../texts/author-of.ts'
import { SideSection } from '../../design/side-section.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from '../../design/side-section.module.css'
import { versionsOf } from './versions.ts'

const HistoryDialog = lazyPart(async () => (await import('./history-dialog.tsx')).HistoryDialog)

export interface HistorySectionProps {
  readonly session: EntrySession
  readonly documentId: string
}

const MAX_SHOWN_VERSIONS = 4

/** The latest author and a link to the history. Empty for types without history. */
export function HistorySection({ session, documentId }: HistorySectionProps) {
  const { t, ago, moment } = useTexts()
  const [isOpen, open] = useState(false)
  const notify = useOwnNotices()
  const { uid } = session.plan.type
  const entry = { uid, documentId, locale: session.plan.locale }
  const { data } = useInfiniteQuery(historyQuery(entry))
  const versions = versionsOf(data?.pages.flatMap((page) => page.data) ?? [])
  if (versions.length === 0) return null
  const show = async (): Promise<void> => {
    await session.saver.saveNow()
    open(true)
  }
  return (
    <SideSection title={t('history.title')}>
      <ul>
        {versions.slice(0, MAX_SHOWN_VERSIONS).map((version) => (
          <li key={version.key} className={styles['row']}>
            <span className={styles['link']}>{authorOf(version.by, t)}</span>
            <span className={styles['quiet']} title={moment(version.at)}>
              {ago(version.at)}
            </span>
          </li>
        ))}
      </ul>
      <div className={styles['buttons']}>
        <Button look="quiet" small onPress={() => void show()}>
          {t('history.open')}
        </Button>
      </div>
      {isOpen && (
        <LoadBoundary>
          <Suspense fallback={null}>
            <HistoryDialog {...{ session, entry, notify }} onClose={() => open(false)} />
          </Suspense>
        </LoadBoundary>
      )}
    </SideSection>
  )
}
