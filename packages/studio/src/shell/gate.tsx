import type { ReactNode } from 'react'
import { branding, tabTitle } from '../design/branding.ts'
import { Mark } from '../design/mark.tsx'
import styles from './sign-in.module.css'

export function Gate({
  title,
  hint,
  children,
}: {
  readonly title: string
  readonly hint?: string
  readonly children: ReactNode
}) {
  return (
    <main className={styles['page']}>
      <title>{tabTitle(title)}</title>
      <div className={styles['card']}>
        <div className={styles['brand']}>
          <Mark size={32} />
          {branding.title}
        </div>
        <div>
          <h1 className={styles['title']}>{title}</h1>
          {hint !== undefined && <p className={styles['hint']}>{hint}</p>}
        </div>
        {children}
      </div>
    </main>
  )
}
