import { GridList, GridListItem, type Selection } from 'react-aria-components'
import { shownFileName } from '../../api/file-entry.ts'
import type { MediaFile } from '../../api/files.ts'
import { Button } from '../../design/button.tsx'
import { Checkbox } from '../../design/checkbox.tsx'
import { FailedRead } from '../../design/failed-read.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { useTexts } from '../../texts/texts.ts'
import { fileFactsOf } from './file-facts.ts'
import { FilePicture } from './file-picture.tsx'
import styles from './files.module.css'
import type { Media } from './use-media.ts'

export interface FilesProps {
  readonly media: Media
  readonly selected: Selection
  readonly onSelect: (selected: Selection) => void
  readonly onOpen: (file: MediaFile) => void
}

export function Files({ media, selected, onSelect, onOpen }: FilesProps) {
  const { t } = useTexts()
  const { search, files, isEverywhere, change } = media
  if (files.error !== null) {
    return <FailedRead error={files.error} onRetry={() => void files.refetch()} />
  }
  if (files.data === undefined) return <Skeleton />
  const shown = files.data.data
  if (shown.length === 0 && isEverywhere) {
    const all = { q: undefined, kind: undefined, unused: undefined }
    return (
      <Notice
        title={t('list.nothing')}
        action={<Button onPress={() => change(all)}>{t('list.showAll')}</Button>}
      />
    )
  }
  if (shown.length === 0) return <Notice title={t('media.empty')}>{t('media.emptyHint')}</Notice>
  const isList = search.view === 'list'
  return (
    <GridList
      aria-label={t('nav.media')}
      items={shown}
      layout={isList ? 'stack' : 'grid'}
      className={(isList ? styles['list'] : styles['grid']) ?? ''}
      selectionMode="multiple"
      selectedKeys={selected}
      onSelectionChange={onSelect}
      onAction={(key) => {
        const file = shown.find(({ documentId }) => documentId === key)
        if (file !== undefined) onOpen(file)
      }}
    >
      {(file) => (
        <GridListItem
          id={file.documentId}
          textValue={shownFileName(file)}
          className={(isList ? styles['line'] : styles['tile']) ?? ''}
        >
          <span className={styles['tick']}>
            <Checkbox slot="selection" />
          </span>
          <FilePicture file={file} />
          <FileWords file={file} isList={isList} />
        </GridListItem>
      )}
    </GridList>
  )
}

function FileWords({ file, isList }: { readonly file: MediaFile; readonly isList: boolean }) {
  const { t, ago } = useTexts()
  const isSilent = file.mime.startsWith('image/') && (file.alternativeText ?? '') === ''
  return (
    <span className={styles['words']}>
      <span className={styles['name']}>
        {file.private === true && <PrivateMark />}
        {shownFileName(file)}
      </span>
      <span className={styles['note']}>
        <FileFacts file={file} />
        {isList && <span>{ago(file.createdAt)}</span>}
        {isSilent && <span className={styles['missing']}>{t('media.noAlternative')}</span>}
      </span>
    </span>
  )
}

function PrivateMark() {
  const { t } = useTexts()
  return (
    <span role="img" aria-label={t('media.private')} title={t('media.private')}>
      <Icon name="lock" size={12} />
    </span>
  )
}

export function FileFacts({ file }: { readonly file: MediaFile }) {
  const texts = useTexts()
  return <span>{fileFactsOf(file, texts)}</span>
}
