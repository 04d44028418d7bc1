import { ProgressBar } from 'react-aria-components'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import type { ShownUpload } from '../../fields/media/shown-upload.ts'
import { UploadNote } from '../../fields/media/upload-note.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './upload-list.module.css'
import type { MediaUploads } from './use-media-uploads.ts'

export function UploadList({ uploads: { uploads, drop } }: { readonly uploads: MediaUploads }) {
  const { t } = useTexts()
  if (uploads.length === 0) return null
  return (
    <section className={styles['uploads']} aria-label={t('media.uploads')}>
      <ul>
        {uploads.map((upload) => (
          <li key={upload.id} className={styles['upload']}>
            <Progress upload={upload} />
            <Button
              look="quiet"
              square
              small
              aria-label={
                upload.failure === null
                  ? t('media.cancelUpload', { name: upload.name })
                  : t('action.close')
              }
              onPress={() => drop(upload.id)}
            >
              <Icon name="close" size={14} />
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Progress({ upload }: { readonly upload: ShownUpload }) {
  const { name, share, failure } = upload
  if (failure !== null) {
    return (
      <div className={styles['bar']} role="alert">
        <span className={styles['name']}>{name}</span>
        <span className={styles['failure']}>{failure}</span>
      </div>
    )
  }
  return (
    <div className={styles['progress']}>
      <ProgressBar aria-label={name} value={share * 100} className={styles['bar'] ?? ''}>
        {({ valueText }) => (
          <>
            <span className={styles['name']}>{name}</span>
            <span className={styles['share']}>{valueText}</span>
          </>
        )}
      </ProgressBar>
      <UploadNote upload={upload} className={styles['share']} />
    </div>
  )
}
