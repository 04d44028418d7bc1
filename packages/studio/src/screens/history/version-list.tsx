import { ListBox, ListBoxItem } from 'react-aria-components'
import { authorOf } from '../../texts/author-of.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import styles from './history-dialog.module.css'
import type { Version } from './versions.ts'

export interface VersionListProps {
  /** Newest first. */
  readonly versions: readonly Version[]
  readonly chosen: string
  readonly onChoose: (key: string) => void
}

export function VersionList({ versions, chosen, onChoose }: VersionListProps) {
  const texts = useTexts()
  const { t, ago, moment } = texts
  return (
    <ListBox
      aria-label={t('history.versions')}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[chosen]}
      disabledKeys={versions.filter(({ revision }) => revision === null).map(({ key }) => key)}
      onSelectionChange={(keys) => {
        const [key] = keys === 'all' ? [] : [...keys]
        if (key !== undefined) onChoose(String(key))
      }}
      className={styles['list'] ?? ''}
    >
      {versions.map((version) => {
        const who = authorOf(version.by, t)
        const what = kindIn(version, texts)
        return (
          <ListBoxItem
            key={version.key}
            id={version.key}
            textValue={`${who}, ${moment(version.at)}, ${what}`}
            className={styles['version'] ?? ''}
          >
            <span className={styles['who']}>{who}</span>
            <span className={styles['note']} title={moment(version.at)}>
              {ago(version.at)} · {what}
            </span>
          </ListBoxItem>
        )
      })}
    </ListBox>
  )
}

function kindIn({ kind }: Version, { t }: Texts): string {
  return kind === 'draft' || kind === 'published' ? t(`state.${kind}`) : t(`history.${kind}`)
}
