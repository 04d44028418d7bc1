import type { ReactNode } from 'react'
import { Copyable } from './copyable.tsx'
import { Dialog } from './dialog.tsx'

export interface SecretDialogProps {
  readonly title: string
  /** Null closes the dialog. */
  readonly secret: string | null
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Shows a secret once, for copying. */
export function SecretDialog({ title, secret, onClose, children }: SecretDialogProps) {
  return (
    <Dialog title={title} isOpen={secret !== null} onClose={onClose}>
      {children}
      <br />
      <Copyable label={title} text={secret ?? ''} />
    </Dialog>
  )
}
