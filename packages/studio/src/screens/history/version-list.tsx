import { ListBox, ListBoxItem } from 'react-aria-components'
import type { Attributes } from '../../api/attributes.ts'
import { authorOf } from '../../texts/author-of.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './history-dialog.module.css'
import { sittingText } from './sitting-text.ts'
import type { Sitting } from './sittings.ts'

export interface VersionListProps {
  /** Newest first. */
  readonly sittings: readonly Sitting[]
  readonly attributes: Attributes
  readonly chosen: string
  readonly onChoose: (key: string) => void
}

export function VersionList({ sittings, attributes, chosen, onChoose }: VersionListProps) {
  const texts = useTexts()
  const { t, span } = texts
  return (
    <ListBox
      aria-label={t('history.versions')}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[chosen]}
      disabledKeys={sittings.filter(({ revision }) => revision === null).map(({ key }) => key)}
      onSelectionChange={(keys) => {
        const [key] = keys === 'all' ? [] : [...keys]
        if (key !== undefined) onChoose(String(key))
      }}
      className={styles['list'] ?? ''}
    >
      {sittings.map((sitting) => {
        const who = authorOf(sitting.by, t)
        const when = span(sitting.begin, sitting.end)
        const what = sittingText(sitting, attributes, texts)
        return (
          <ListBoxItem
            key={sitting.key}
            id={sitting.key}
            textValue={`${who}, ${what}, ${when}`}
            className={styles['version'] ?? ''}
          >
            <span className={styles['who']}>{who}</span>
            <span className={styles['what']}>{what}</span>
            <span className={styles['note']}>{when}</span>
          </ListBoxItem>
        )
      })}
    </ListBox>
  )
}
