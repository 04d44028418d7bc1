import type { ReactNode } from 'react'
import styles from './notice.module.css'

export interface NoticeProps {
  readonly title?: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

export function Notice({ title, children, action }: NoticeProps) {
  return (
    <div className={styles['notice']}>
      {title !== undefined && <p className={styles['title']}>{title}</p>}
      {children !== undefined && <p className={styles['text']}>{children}</p>}
      {action !== undefined && <div className={styles['action']}>{action}</div>}
    </div>
  )
}
