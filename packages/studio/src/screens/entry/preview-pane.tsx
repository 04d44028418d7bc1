import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { previewQuery } from '../../api/entry-facts.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import type { EntrySession } from '../../entry/entry-session.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './preview-pane.module.css'
import { PreviewFrames } from './preview-frames.tsx'
import { useLivePreview } from './use-live-preview.ts'

/** In pixels of the site. */
const WIDTHS = { phone: 390, tablet: 820, desktop: 1280 } as const

type Device = keyof typeof WIDTHS

const DEVICES = Object.keys(WIDTHS) as readonly Device[]

export interface PreviewPaneProps {
  readonly session: EntrySession
  readonly documentId: string
  /** Called before a field is focused that was chosen in the page. */
  readonly onChoose: () => void
}

export function PreviewPane({ session, documentId, onChoose }: PreviewPaneProps) {
  const { type, locale } = session.plan
  const { t } = useTexts()
  const [device, choose] = useState<Device>('desktop')
  const query = useQuery(previewQuery({ uid: type.uid, documentId, locale }))
  const { data, dataUpdatedAt, error, isFetching, refetch } = query
  const live = useLivePreview(session, { url: data?.url, savedAt: dataUpdatedAt }, onChoose)
  return (
    <section className={styles['pane']} aria-label={t('preview.label')}>
      <div className={styles['bar']}>
        <Choice
          isInline
          label={t('preview.width')}
          options={DEVICES.map((id) => ({ id, name: t(`preview.${id}`) }))}
          value={device}
          onChange={(id) => choose(id as Device)}
        />
        <span className={styles['space']} />
        <Button
          look="quiet"
          square
          aria-label={t('preview.reload')}
          isPending={isFetching}
          onPress={() => {
            live.leave()
            void refetch()
          }}
        >
          <Icon name="reload" />
        </Button>
        {data !== undefined && (
          <a
            className={styles['window']}
            href={data.url}
            target="_blank"
            rel="noreferrer"
            aria-label={t('preview.window')}
          >
            <Icon name="external" />
          </a>
        )}
      </div>
      {error !== null && <Notice title={t('preview.failed')} />}
      {data === undefined && error === null && <Skeleton lines={6} />}
      {live.frame !== null && (
        <PreviewFrames
          title={t('preview.label')}
          {...live.frame}
          width={WIDTHS[device]}
          grows={device === 'desktop'}
          onLoad={live.greet}
        />
      )}
    </section>
  )
}
