import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'
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
  useSpaceBelowNotices(bar)
  return (
    <section ref={bar} className={styles['bar']} aria-label={label}>
      {text !== undefined && <span className={styles['text']}>{text}</span>}
      {children}
    </section>
  )
}

/** Notices appear above the bar, which wraps on a narrow window. */
function useSpaceBelowNotices(bar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = bar
    if (current === null) return undefined
    const { style } = document.documentElement
    const measure = (): void =>
      style.setProperty('--floating-bar-height', `${current.offsetHeight}px`)
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    measure()
    return () => {
      observer.disconnect()
      style.removeProperty('--floating-bar-height')
    }
  }, [bar])
}
