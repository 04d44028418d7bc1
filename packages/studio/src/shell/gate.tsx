import type { ReactNode } from 'react'
import { Mark } from '../design/mark.tsx'
import { useTexts } from '../texts/texts.ts'
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
  const { t } = useTexts()
  return (
    <main className={styles['page']}>
      <title>{`${title} · ${t('app.name')}`}</title>
      <div className={styles['card']}>
        <Mark size={32} />
        <div>
          <h1 className={styles['title']}>{title}</h1>
          {hint !== undefined && <p className={styles['hint']}>{hint}</p>}
        </div>
        {children}
      </div>
    </main>
  )
}
