import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaProps } from 'react-aria-components'
import styles from './button.module.css'

export interface ButtonProps extends Omit<
  AriaProps,
  'className' | 'style' | 'children' | 'isPending'
> {
  /** `primary` once a screen; `quiet` has no edge; `danger` cannot be undone. */
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger'
  /** Shows an icon alone: give `aria-label`. */
  readonly square?: boolean
  readonly small?: boolean
  /** What it does is under way: it keeps the focus and does nothing more. */
  readonly isPending?: boolean
  readonly children: ReactNode
}

export function Button({ look = 'plain', square, small, isPending, ...props }: ButtonProps) {
  const names = [
    styles['button'],
    styles[look],
    square && styles['square'],
    small && styles['small'],
    isPending && styles['pending'],
  ]
  return (
    <AriaButton
      {...props}
      {...(isPending && PENDING)}
      className={names.filter(Boolean).join(' ')}
    />
  )
}

/** React Aria's own `isPending` announces an element that is gone by the time it is read out. */
const PENDING = { type: 'button', 'aria-disabled': true, onPress: () => {} } as const
