import { Button, Input, SearchField } from 'react-aria-components'
import { useTexts } from '../texts/texts.ts'
import { Icon } from './icons/icon.tsx'
import styles from './search-box.module.css'

export interface SearchBoxProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

export function SearchBox({ value, onChange }: SearchBoxProps) {
  const { t } = useTexts()
  return (
    <SearchField
      aria-label={t('list.search')}
      value={value}
      onChange={onChange}
      className={styles['search'] ?? ''}
    >
      <Icon name="search" size={14} />
      <Input placeholder={t('list.search')} className={styles['input'] ?? ''} />
      <Button className={styles['clear'] ?? ''} aria-label={t('list.clearSearch')}>
        <Icon name="close" size={12} />
      </Button>
    </SearchField>
  )
}
