import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ActedOn, previewQuery } from '../../api/entry-facts.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './preview-pane.module.css'
import { PreviewFrames } from './preview-frames.tsx'

/** In pixels of the site. */
const WIDTHS = { phone: 390, tablet: 820, desktop: 1280 } as const

type Device = keyof typeof WIDTHS

const DEVICES = Object.keys(WIDTHS) as readonly Device[]

export function PreviewPane({ entry }: { readonly entry: ActedOn }) {
  const { t } = useTexts()
  const [device, choose] = useState<Device>('desktop')
  const { data, dataUpdatedAt, error, isFetching, refetch } = useQuery(previewQuery(entry))
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
          onPress={() => void refetch()}
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
      {data !== undefined && (
        <PreviewFrames
          title={t('preview.label')}
          url={data.url}
          turn={dataUpdatedAt}
          width={WIDTHS[device]}
          grows={device === 'desktop'}
        />
      )}
    </section>
  )
}
