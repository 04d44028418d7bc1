import { useQuery } from '@tanstack/react-query'
import { fileQuery } from '../../api/files.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import type { FileValue } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import { FileDrawer } from '../media/file-drawer.tsx'

export interface OpenedFileProps {
  readonly file: FileValue
  /** The locale of the entry. */
  readonly locale: string | null
  readonly onClose: () => void
}

/** The details of a file that an entry shows. Its deletion needs the media library, where all uses count. */
export function OpenedFile({ file: { id, name }, locale, onClose }: OpenedFileProps) {
  const { t } = useTexts()
  const { data, error, refetch, isFetchedAfterMount } = useQuery(fileQuery(id))
  // The form within takes its first values from the file.
  if (data !== undefined && error === null && isFetchedAfterMount) {
    return <FileDrawer file={data} onClose={onClose} entry={{ locale }} />
  }
  return (
    <Dialog title={name} isOpen onClose={onClose} form="drawer">
      {error === null ? (
        <Skeleton />
      ) : (
        <Notice
          title={t('error.title')}
          action={<Button onPress={() => void refetch()}>{t('action.retry')}</Button>}
        >
          {error.message}
        </Notice>
      )}
    </Dialog>
  )
}
