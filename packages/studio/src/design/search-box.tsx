import { useState } from 'react'
import { Button, Input, SearchField } from 'react-aria-components'
import { useTexts } from '../texts/texts.ts'
import { Icon } from './icons/icon.tsx'
import styles from './search-box.module.css'
import { useDelayed } from './use-delayed.ts'

export interface SearchBoxProps {
  /** The text that is searched for. */
  readonly value: string | undefined
  /** Called without outer spaces after a pause. */
  readonly onSearch: (text: string) => void
  readonly autoFocus?: boolean
}

interface Typed {
  readonly text: string
  /** Whether the search has followed the text. */
  readonly isSearched: boolean
}

export function SearchBox({ value = '', onSearch, autoFocus = false }: SearchBoxProps) {
  const { t } = useTexts()
  const [typed, setTyped] = useState<Typed | null>(null)
  const isSearched = typed?.text.trim() === value
  if (typed !== null && isSearched && !typed.isSearched) setTyped({ ...typed, isSearched })
  // The search has changed elsewhere, for example by a saved view or the Back button.
  if (typed?.isSearched === true && !isSearched) setTyped(null)
  const search = useDelayed(onSearch)
  return (
    <SearchField
      aria-label={t('list.search')}
      autoFocus={autoFocus}
      value={typed?.text ?? value}
      onChange={(text) => {
        setTyped({ text, isSearched: text.trim() === value })
        search(text.trim())
      }}
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
