import type { EntryState } from '../api/entries.ts'
import { useTexts } from '../texts/texts.ts'
import styles from './state-mark.module.css'

export function StateMark({ state }: { readonly state: EntryState }) {
  const { t } = useTexts()
  return <span className={`${styles['state']} ${styles[state]}`}>{t(`state.${state}`)}</span>
}
