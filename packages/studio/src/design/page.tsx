import { useEffect, type ReactNode } from 'react'
import { tabTitle } from './branding.ts'
import styles from './page.module.css'

export interface PageProps {
  readonly title: string
  readonly note?: ReactNode
  readonly actions?: ReactNode
  readonly bar?: ReactNode
  readonly foot?: ReactNode
  /** Limits the width to a readable line length. */
  readonly narrow?: boolean
  readonly children: ReactNode
}

export function Page({ title, note, actions, bar, foot, narrow = false, children }: PageProps) {
  useEffect(() => {
    document.title = tabTitle(title)
  }, [title])
  return (
    <div className={styles['page']}>
      <header className={`${styles['head']} ${narrow ? styles['narrow'] : ''}`}>
        <h1 className={styles['title']}>{title}</h1>
        {note !== undefined && <span className={styles['note']}>{note}</span>}
        <span className={styles['space']} />
        {actions}
      </header>
      {bar}
      <div className={`${styles['content']} ${narrow ? styles['narrow'] : ''}`}>{children}</div>
      {foot !== undefined && <footer className={styles['foot']}>{foot}</footer>}
    </div>
  )
}
