import { useTexts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import { Dialog, type DialogProps } from './dialog.tsx'
import { Skeleton } from './late.tsx'
import { Notice } from './notice.tsx'

export interface PendingDialogProps extends Pick<DialogProps, 'title' | 'form' | 'onClose'> {
  /** Null while the content loads. */
  readonly error: Error | null
  readonly onRetry: () => void
}

/** A dialog whose content is loading, or could not be loaded. */
export function PendingDialog({ error, onRetry, ...dialog }: PendingDialogProps) {
  const { t } = useTexts()
  return (
    <Dialog {...dialog} isOpen>
      {error === null ? (
        <Skeleton />
      ) : (
        <Notice
          title={t('error.title')}
          action={<Button onPress={onRetry}>{t('action.retry')}</Button>}
        >
          {error.message}
        </Notice>
      )}
    </Dialog>
  )
}
