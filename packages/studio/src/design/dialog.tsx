import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useTexts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { Icon } from './icons/icon.tsx'

export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  readonly actions?: ReactNode
  /** `drawer` opens at the side and keeps the content behind it visible. */
  readonly form?: 'small' | 'wide' | 'large' | 'drawer'
  /** Neither Escape nor a press outside closes it. */
  readonly isAlert?: boolean
}

export function Dialog(props: DialogProps) {
  const { title, isOpen, onClose, children, actions, form = 'small', isAlert = false } = props
  const { t } = useTexts()
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      isDismissable={!isAlert}
      isKeyboardDismissDisabled={isAlert}
      className={`${styles['scrim']} ${styles[`${form}Scrim`] ?? ''}`}
    >
      <Modal className={`${styles['modal']} ${styles[form]}`}>
        <AriaDialog className={styles['dialog'] ?? ''}>
          <header className={styles['head']}>
            <Heading slot="title" level={2} className={styles['title'] ?? ''}>
              {title}
            </Heading>
            {!isAlert && (
              <Button look="quiet" square small aria-label={t('action.close')} onPress={onClose}>
                <Icon name="close" />
              </Button>
            )}
          </header>
          <div className={styles['body']}>{children}</div>
          {actions !== undefined && <footer className={styles['foot']}>{actions}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
