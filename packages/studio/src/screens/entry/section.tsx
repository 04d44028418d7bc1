import type { ReactNode } from 'react'
import styles from './entry-side.module.css'

export function SideSection({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <section className={styles['section']}>
      <h2 className={styles['title']}>{title}</h2>
      {children}
    </section>
  )
}
