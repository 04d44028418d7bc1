import { type ReactNode, useRef } from 'react'
import { useFocusOfRows } from './focus-of-rows.ts'
import styles from './rows.module.css'

export function Rows({
  label,
  children,
}: {
  readonly label: string
  readonly children: ReactNode
}) {
  const list = useRef<HTMLUListElement>(null)
  useFocusOfRows(list)
  return (
    <ul ref={list} className={styles['rows']} aria-label={label}>
      {children}
    </ul>
  )
}

export interface RowProps {
  readonly title: ReactNode
  readonly note?: ReactNode
  readonly children?: ReactNode
}

export function Row({ title, note, children }: RowProps) {
  return (
    <li className={styles['row']}>
      <div className={styles['text']}>
        <div className={styles['title']}>{title}</div>
        {note !== undefined && <div className={styles['note']}>{note}</div>}
      </div>
      <div className={styles['actions']}>{children}</div>
    </li>
  )
}
