import type { ReactNode, Ref } from 'react'
import { Button as AriaButton, type ButtonProps as AriaProps } from 'react-aria-components'
import styles from './button.module.css'

export interface ButtonProps extends Omit<
  AriaProps,
  'className' | 'style' | 'children' | 'isPending'
> {
  /** `primary`: one per screen. `quiet`: no border. `danger`: cannot be undone. */
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger'
  /** Shows only an icon; requires `aria-label`. */
  readonly square?: boolean
  readonly small?: boolean
  /** While the action runs, the button keeps the focus and ignores presses. */
  readonly isPending?: boolean
  readonly ref?: Ref<HTMLButtonElement>
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

/**
 * React Aria's own `isPending` announces an element that is already removed when it is read out.
 */
const PENDING = { type: 'button', 'aria-disabled': true, onPress: () => {} } as const
