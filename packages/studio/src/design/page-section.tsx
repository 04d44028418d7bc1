import type { ReactNode } from 'react'
import styles from './page-section.module.css'

export interface PageSectionProps {
  readonly title: string
  readonly hint?: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

export function PageSection({ title, hint, action, children }: PageSectionProps) {
  return (
    <section className={styles['section']} aria-label={title}>
      <header className={styles['head']}>
        <div>
          <h2 className={styles['title']}>{title}</h2>
          {hint !== undefined && <p className={styles['hint']}>{hint}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}
