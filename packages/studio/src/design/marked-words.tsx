import type { TextRun } from '@quire/merge/compare-texts'
import { useTexts } from '../texts/texts.ts'
import styles from './marked-words.module.css'

export interface MarkedWordsProps {
  readonly runs: readonly TextRun[]
  readonly side: 'from' | 'to'
  /** Neither text is older than the other. */
  readonly isEqual?: boolean
}

/** One of two texts, with marks at words missing in the other one. */
export function MarkedWords({ runs, side, isEqual = false }: MarkedWordsProps) {
  const { t } = useTexts()
  const hidden = side === 'from' ? 'added' : 'removed'
  return (
    <p className={styles['words']}>
      {runs
        .filter(({ op }) => op !== hidden)
        .map(({ op, text }, index) => {
          // oxlint-disable-next-line react/no-array-index-key -- runs have no ids
          if (op === 'same') return <span key={index}>{text}</span>
          if (isEqual) {
            return (
              // oxlint-disable-next-line react/no-array-index-key -- as above
              <mark key={index} className={styles['different']}>
                {text}
              </mark>
            )
          }
          const Mark = op === 'added' ? 'ins' : 'del'
          return (
            // oxlint-disable-next-line react/no-array-index-key -- as above
            <Mark key={index} className={styles[op]} title={t(`history.${op}`, { text })}>
              {text}
            </Mark>
          )
        })}
    </p>
  )
}
