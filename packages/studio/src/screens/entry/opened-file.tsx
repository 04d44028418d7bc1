import { useQuery } from '@tanstack/react-query'
import { fileQuery } from '../../api/files.ts'
import { PendingDialog } from '../../design/pending-dialog.tsx'
import type { FileValue } from '../../entry/values.ts'
import { FileDrawer } from '../media/file-drawer.tsx'

export interface OpenedFileProps {
  readonly file: FileValue
  /** The locale of the entry. */
  readonly locale: string | null
  readonly onClose: () => void
}

/** The details of a file that an entry shows. Its deletion needs the media library, where all uses count. */
export function OpenedFile({ file: { id, name }, locale, onClose }: OpenedFileProps) {
  const { data, error, refetch, isFetchedAfterMount } = useQuery(fileQuery(id))
  // The form within takes its first values from the file.
  if (data !== undefined && error === null && isFetchedAfterMount) {
    return <FileDrawer file={data} onClose={onClose} entry={{ locale }} />
  }
  const onRetry = (): void => void refetch()
  return <PendingDialog title={name} {...{ error, onRetry, onClose }} form="drawer" />
}
