import { type ReactNode, useEffect, useState } from 'react'
import { useTexts } from '../texts/texts.ts'
import styles from './late.module.css'

const PLACEHOLDER_DELAY_MS = 300

/** Renders its children after 300 ms, so that fast loading shows no placeholder. */
export function Late({ children }: { readonly children: ReactNode }) {
  const [isShown, show] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => show(true), PLACEHOLDER_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return isShown ? children : null
}

export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  const { t } = useTexts()
  return (
    <Late>
      <div role="status" aria-label={t('app.loading')} className={styles['skeleton']}>
        {Array.from({ length: lines }, (_, line) => (
          <span key={line} className={styles['line']} />
        ))}
      </div>
    </Late>
  )
}
