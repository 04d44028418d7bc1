import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'

export interface AskToLeaveProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onLeave: () => void
}

/** A declaration has no stored draft: unwritten changes are lost. */
export function AskToLeave({ isOpen, onClose, onLeave }: AskToLeaveProps) {
  const { t } = useTexts()
  return (
    <Dialog
      title={t('declare.leaveTitle')}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
          <Button look="danger" onPress={onLeave}>
            {t('declare.leave')}
          </Button>
        </>
      }
    >
      {t('declare.leaveHint')}
    </Dialog>
  )
}
