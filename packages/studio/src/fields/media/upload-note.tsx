import { useTexts } from '../../texts/texts.ts'
import type { ShownUpload } from './shown-upload.ts'

export interface UploadNoteProps {
  readonly upload: ShownUpload
  readonly className: string | undefined
}

/** The reason why an upload does not progress. */
export function UploadNote({ upload, className = '' }: UploadNoteProps) {
  const { t } = useTexts()
  if (upload.isInterrupted) {
    return (
      <span className={className} role="status">
        {t('media.interrupted')}
      </span>
    )
  }
  return upload.isQueued ? <span className={className}>{t('media.queued')}</span> : null
}
