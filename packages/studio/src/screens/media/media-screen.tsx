import { useState } from 'react'
import { DropZone, FileTrigger, type Selection } from 'react-aria-components'
import type { MediaFile } from '../../api/files.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Page } from '../../design/page.tsx'
import { useTexts } from '../../texts/texts.ts'
import { FileDrawer } from './file-drawer.tsx'
import { Files } from './files.tsx'
import { FolderBar, NewFolder } from './folder-bar.tsx'
import { MediaBar } from './media-bar.tsx'
import { MediaFoot } from './media-foot.tsx'
import { MediaSelection } from './media-selection.tsx'
import styles from './media-screen.module.css'
import { UploadList } from './upload-list.tsx'
import { useMedia } from './use-media.ts'
import { useMediaUploads } from './use-media-uploads.ts'

const EMPTY_SELECTION: Selection = new Set()

export function MediaScreen() {
  const { t, number } = useTexts()
  const may = useMay()
  const media = useMedia()
  const { search, change, files } = media
  const uploads = useMediaUploads(search.folder ?? null)
  const [selected, select] = useState(EMPTY_SELECTION)
  const [opened, open] = useState<MediaFile | null>(null)
  const mayUpload = may('plugin::upload.content-api.upload')
  const total = files.data?.meta.pagination.total
  const nextView = search.view === 'list' ? undefined : 'list'
  return (
    <Page
      title={t('nav.media')}
      note={total === undefined ? undefined : number(total)}
      actions={
        <>
          <Button
            look="quiet"
            square
            aria-label={t(nextView === 'list' ? 'media.asList' : 'media.asGrid')}
            onPress={() => change({ view: nextView })}
          >
            <Icon name={nextView ?? 'grid'} />
          </Button>
          {mayUpload && <NewFolder media={media} />}
          {mayUpload && (
            <FileTrigger allowsMultiple onSelect={(chosen) => uploads.start([...(chosen ?? [])])}>
              <Button look="primary">{t('media.upload')}</Button>
            </FileTrigger>
          )}
        </>
      }
      bar={<MediaBar media={media} />}
      foot={<MediaFoot media={media} />}
    >
      <DropZone
        isDisabled={!mayUpload}
        aria-label={t('media.dropHere')}
        className={styles['zone'] ?? ''}
        getDropOperation={(types) => (types.has('text/plain') ? 'cancel' : 'copy')}
        onDrop={({ items }) => {
          const dropped = items.filter((item) => item.kind === 'file')
          void Promise.all(dropped.map((item) => item.getFile())).then(uploads.start)
        }}
      >
        <FolderBar media={media} />
        <Files media={media} selected={selected} onSelect={select} onOpen={open} />
      </DropZone>
      <UploadList uploads={uploads} />
      <MediaSelection media={media} selected={selected} onClear={() => select(EMPTY_SELECTION)} />
      {opened !== null && <FileDrawer key={opened.id} file={opened} onClose={() => open(null)} />}
    </Page>
  )
}
