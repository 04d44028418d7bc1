import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'

export interface AskToDeleteProps {
  /** What is to go; null while nothing is. */
  readonly name: string | null
  readonly hint: string
  readonly onDelete: () => void
  readonly onClose: () => void
}

/** Before what cannot be undone. */
export function AskToDelete({ name, hint, onDelete, onClose }: AskToDeleteProps) {
  const { t } = useTexts()
  return (
    <Dialog
      title={t('settings.deleteTitle', { name: name ?? '' })}
      isOpen={name !== null}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
          <Button
            look="danger"
            onPress={() => {
              onClose()
              onDelete()
            }}
          >
            {t('action.delete')}
          </Button>
        </>
      }
    >
      {hint}
    </Dialog>
  )
}
