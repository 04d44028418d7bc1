import type { ReactNode } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { useTexts } from '../texts/texts.ts'
import styles from './frame.module.css'

export interface NavigationDrawerProps {
  readonly onClose: () => void
  readonly children: ReactNode
}

export function NavigationDrawer({ onClose, children }: NavigationDrawerProps) {
  const { t } = useTexts()
  return (
    <ModalOverlay isOpen onOpenChange={onClose} isDismissable className={styles['scrim'] ?? ''}>
      <Modal className={styles['drawer'] ?? ''}>
        <Dialog aria-label={t('nav.label')} className={styles['drawerInside'] ?? ''}>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
