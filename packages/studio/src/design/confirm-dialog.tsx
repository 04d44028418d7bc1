import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

export interface ConfirmDialogProps {
  readonly title: string
  readonly isOpen: boolean
  /** The label of the confirm button. @default Delete */
  readonly confirm?: string
  readonly isPending?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Asks before a destructive action. The caller closes the dialog. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, isOpen, confirm, isPending = false, onConfirm, onClose, children } = props
  const { t } = useTexts()
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{t('action.cancel')}</Button>
          <Button look="danger" isPending={isPending} onPress={onConfirm}>
            {confirm ?? t('action.delete')}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
