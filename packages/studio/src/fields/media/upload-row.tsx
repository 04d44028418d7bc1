import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './media-field.module.css'
import type { ShownUpload } from './shown-upload.ts'
import { UploadNote } from './upload-note.tsx'

export interface UploadRowProps {
  readonly upload: ShownUpload
  /** Cancels the upload, if it runs. */
  readonly onDrop: () => void
}

/** The progress of an upload, or the reason of its failure. */
export function UploadRow({ upload, onDrop }: UploadRowProps) {
  const { t } = useTexts()
  const { name, share, failure } = upload
  return (
    <div className={styles['file']}>
      <span className={styles['about']}>
        <span className={styles['name']}>{name}</span>
        {failure === null ? (
          <progress value={share} aria-label={t('media.uploading', { name })} />
        ) : (
          <span className={styles['failure']} role="alert">
            {failure}
          </span>
        )}
        {failure === null && <UploadNote upload={upload} className={styles['more']} />}
      </span>
      <Button
        look="quiet"
        square
        small
        aria-label={t(failure === null ? 'media.cancelUpload' : 'action.remove', { name })}
        onPress={onDrop}
      >
        <Icon name="close" size={14} />
      </Button>
    </div>
  )
}
