import { type ReactNode, useRef } from 'react'
import { useFocusLeft } from './focus-of-rows.ts'
import styles from './floating-bar.module.css'

export interface FloatingBarProps {
  readonly label: string
  readonly text?: string
  readonly children: ReactNode
}

export function FloatingBar({ label, text, children }: FloatingBarProps) {
  const bar = useRef<HTMLElement>(null)
  useFocusLeft(bar)
  return (
    <section ref={bar} className={styles['bar']} aria-label={label}>
      {text !== undefined && <span className={styles['text']}>{text}</span>}
      {children}
    </section>
  )
}
