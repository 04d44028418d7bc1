import { Checkbox as AriaCheckbox, type CheckboxProps as AriaProps } from 'react-aria-components'
import type { ReactNode } from 'react'
import styles from './checkbox.module.css'
import { Icon } from './icons/icon.tsx'

export interface CheckboxProps extends Omit<AriaProps, 'className' | 'style' | 'children'> {
  readonly children?: ReactNode
}

export function Checkbox({ children, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className={styles['checkbox'] ?? ''}>
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className={styles['box']} aria-hidden="true">
            {isIndeterminate ? (
              <span className={styles['dash']} />
            ) : (
              isSelected && <Icon name="check" size={12} />
            )}
          </span>
          {children}
        </>
      )}
    </AriaCheckbox>
  )
}
