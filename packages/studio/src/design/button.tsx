import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaProps } from 'react-aria-components'
import styles from './button.module.css'

export interface ButtonProps extends Omit<AriaProps, 'className' | 'style' | 'children'> {
  /** `primary` once a screen; `quiet` has no edge; `danger` cannot be undone. */
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger'
  /** Shows an icon alone: give `aria-label`. */
  readonly square?: boolean
  readonly small?: boolean
  readonly children: ReactNode
}

export function Button({ look = 'plain', square, small, ...props }: ButtonProps) {
  const names = [
    styles['button'],
    styles[look],
    square && styles['square'],
    small && styles['small'],
  ]
  return <AriaButton {...props} className={names.filter(Boolean).join(' ')} />
}
