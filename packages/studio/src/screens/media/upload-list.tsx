import { ProgressBar } from 'react-aria-components'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './upload-list.module.css'
import type { MediaUploads } from './use-media-uploads.ts'

export function UploadList({ uploads: { uploads, forget } }: { readonly uploads: MediaUploads }) {
  const { t } = useTexts()
  if (uploads.length === 0) return null
  return (
    <section className={styles['uploads']} aria-label={t('media.uploads')}>
      <ul>
        {uploads.map(({ id, name, share, failure }) => (
          <li key={id} className={styles['upload']}>
            {failure === null ? (
              <ProgressBar aria-label={name} value={share * 100} className={styles['bar'] ?? ''}>
                {({ valueText }) => (
                  <>
                    <span className={styles['name']}>{name}</span>
                    <span className={styles['share']}>{valueText}</span>
                  </>
                )}
              </ProgressBar>
            ) : (
              <div className={styles['bar']} role="alert">
                <span className={styles['name']}>{name}</span>
                <span className={styles['failure']}>{failure}</span>
              </div>
            )}
            {failure !== null && (
              <Button
                look="quiet"
                square
                small
                aria-label={t('action.close')}
                onPress={() => forget(id)}
              >
                <Icon name="close" size={14} />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
