import { Dialog, type DialogProps } from './dialog.tsx'
import { FailedRead } from './failed-read.tsx'
import { Skeleton } from './late.tsx'

export interface PendingDialogProps extends Pick<DialogProps, 'title' | 'form' | 'onClose'> {
  /** Null while the content loads. */
  readonly error: Error | null
  readonly onRetry: () => void
}

/** A dialog whose content is loading, or could not be loaded. */
export function PendingDialog({ error, onRetry, ...dialog }: PendingDialogProps) {
  return (
    <Dialog {...dialog} isOpen>
      {error === null ? <Skeleton /> : <FailedRead error={error} onRetry={onRetry} />}
    </Dialog>
  )
}
