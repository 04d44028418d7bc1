import type { ReactNode } from 'react'
import styles from './side-section.module.css'

/** A section of the panel next to a form. Its styles are for the rows within. */
export function SideSection({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <section>
      <h2 className={styles['title']}>{title}</h2>
      {children}
    </section>
  )
}
