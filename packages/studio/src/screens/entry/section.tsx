import type { ReactNode } from 'react'
import styles from './entry-side.module.css'

/** A part of the column beside a form. */
export function Section({
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
