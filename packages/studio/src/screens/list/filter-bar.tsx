import { useRef, useState } from 'react'
import { Button as AriaButton, DialogTrigger, Input, SearchField } from 'react-aria-components'
import { ENTRY_STATES } from '../../api/entries.ts'
import { Icon } from '../../design/icon.tsx'
import { PopoverDialog } from '../../design/popover-dialog.tsx'
import { notify } from '../../design/toasts.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './filter-bar.module.css'
import { FilterForm } from './filter-form.tsx'
import { type FilterWord, STATE, takesValue } from './filter-words.ts'
import { useColumnName } from './use-column-name.ts'
import type { List } from './use-list.ts'
import { useDelayed } from '../../design/use-delayed.ts'

/** What narrows the list down: a search, and filters in words that can be taken off. */
export function FilterBar({ list }: { readonly list: List }) {
  const { t } = useTexts()
  const add = useRef<HTMLButtonElement>(null)
  const filters = list.search.filters ?? []
  const put = (words: readonly FilterWord[]): void =>
    list.change({ filters: words.length === 0 ? undefined : words })
  return (
    <div className={styles['bar']}>
      <SearchBox list={list} />
      <ul className={styles['chips']} aria-label={t('list.filters')}>
        {filters.map((word, at) => (
          <li key={`${word.at} ${word.is} ${word.to ?? ''}`} className={styles['chip']}>
            <DialogTrigger>
              <AriaButton className={styles['words'] ?? ''}>
                <FilterText word={word} />
              </AriaButton>
              <PopoverDialog label={t('list.editFilter')}>
                {(close) => (
                  <FilterForm
                    list={list}
                    word={word}
                    onDone={(changed) => {
                      put(filters.with(at, changed))
                      close()
                    }}
                  />
                )}
              </PopoverDialog>
            </DialogTrigger>
            <AriaButton
              className={styles['off'] ?? ''}
              aria-label={t('list.removeFilter')}
              onPress={() => {
                put(filters.toSpliced(at, 1))
                notify(t('list.filterRemoved'), list.cameBy())
                add.current?.focus()
              }}
            >
              <Icon name="close" size={12} />
            </AriaButton>
          </li>
        ))}
        <li>
          <DialogTrigger>
            <AriaButton ref={add} className={styles['add'] ?? ''}>
              {t('list.addFilter')}
            </AriaButton>
            <PopoverDialog label={t('list.addFilter')}>
              {(close) => (
                <FilterForm
                  list={list}
                  onDone={(word) => {
                    put([...filters, word])
                    close()
                  }}
                />
              )}
            </PopoverDialog>
          </DialogTrigger>
        </li>
      </ul>
    </div>
  )
}

function SearchBox({ list }: { readonly list: List }) {
  const { t } = useTexts()
  const [text, setText] = useState(list.search.q ?? '')
  const search = useDelayed((q: string) => list.change({ q: q === '' ? undefined : q }))
  return (
    <SearchField
      aria-label={t('list.search')}
      value={text}
      onChange={(value) => {
        setText(value)
        search(value.trim())
      }}
      className={styles['search'] ?? ''}
    >
      <Icon name="search" size={14} />
      <Input placeholder={t('list.search')} className={styles['input'] ?? ''} />
      <AriaButton className={styles['clear'] ?? ''} aria-label={t('list.clearSearch')}>
        <Icon name="close" size={12} />
      </AriaButton>
    </SearchField>
  )
}

/** A filter as one reads it. */
function FilterText({ word }: { readonly word: FilterWord }) {
  const { t } = useTexts()
  const nameOf = useColumnName()
  const { at, is, to = '', as = to } = word
  const state = at === STATE ? ENTRY_STATES.find((one) => one === to) : undefined
  const value = state === undefined ? as : t(`list.state.${state}`)
  return (
    <>
      <b>{nameOf(at)}</b> {t(`filter.${is}`)}
      {takesValue(is) && ` ${value}`}
    </>
  )
}
