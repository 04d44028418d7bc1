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
import { sittingText } from './sitting-text.ts'
import { sittingsOf } from './sittings.ts'
import { versionsOf } from './versions.ts'

const HistoryDialog = lazyPart(async () => (await import('./history-dialog.tsx')).HistoryDialog)

export interface HistorySectionProps {
  readonly session: EntrySession
  readonly documentId: string
}

const MAX_SHOWN_SITTINGS = 4

/** The latest sittings and events, and a button that opens the history. Empty for types without history. */
export function HistorySection({ session, documentId }: HistorySectionProps) {
  const texts = useTexts()
  const { t, ago, span } = texts
  const [isOpen, open] = useState(false)
  const notify = useOwnNotices()
  const entry = { uid: session.plan.type.uid, documentId, locale: session.plan.locale }
  const { data } = useInfiniteQuery(historyQuery(entry))
  const { type } = session.plan
  const rows = data?.pages.flatMap((page) => page.data) ?? []
  const sittings = sittingsOf(versionsOf(rows, type.draftAndPublish))
  if (sittings.length === 0) return null
  const show = async (): Promise<void> => {
    await session.saver.saveNow()
    open(true)
  }
  return (
    <SideSection title={t('history.title')}>
      <ul>
        {sittings.slice(0, MAX_SHOWN_SITTINGS).map((sitting) => (
          <li key={sitting.key} className={styles['row']}>
            <span className={styles['link']}>{authorOf(sitting.by, t)}</span>
            <span className={styles['quiet']} title={span(sitting.begin, sitting.end)}>
              {sitting.kind !== 'edited' &&
                `${sittingText(sitting, session.plan.attributes, texts)} · `}
              {ago(sitting.end)}
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
