import { ConfirmDialog } from './confirm-dialog.tsx'
import { useTexts } from '../texts/texts.ts'

export interface AskToDeleteProps {
  readonly name: string | null
  readonly hint: string
  readonly onDelete: () => void
  readonly onClose: () => void
}

export function AskToDelete({ name, hint, onDelete, onClose }: AskToDeleteProps) {
  const { t } = useTexts()
  return (
    <ConfirmDialog
      title={t('settings.deleteTitle', { name: name ?? '' })}
      isOpen={name !== null}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        onDelete()
      }}
    >
      {hint}
    </ConfirmDialog>
  )
}
