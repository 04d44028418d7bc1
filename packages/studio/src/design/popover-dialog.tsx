import type { ReactNode } from 'react'
import { Dialog, Popover, type PopoverProps } from 'react-aria-components'
import styles from './popover-dialog.module.css'

export interface PopoverDialogProps {
  readonly label: string
  readonly placement?: PopoverProps['placement']
  readonly children: (close: () => void) => ReactNode
}

export function PopoverDialog({ label, placement = 'bottom start', children }: PopoverDialogProps) {
  return (
    <Popover placement={placement} className={styles['popover'] ?? ''}>
      <Dialog aria-label={label} className={styles['dialog'] ?? ''}>
        {({ close }) => children(close)}
      </Dialog>
    </Popover>
  )
}
