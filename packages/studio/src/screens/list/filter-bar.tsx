import { useRef, useState } from 'react'
import { Button as AriaButton, DialogTrigger } from 'react-aria-components'
import { ENTRY_STATES } from '../../api/entries.ts'
import { Icon } from '../../design/icons/icon.tsx'
import { PopoverDialog } from '../../design/popover-dialog.tsx'
import { SearchBox } from '../../design/search-box.tsx'
import { notify } from '../../design/toasts.tsx'
import { valueName } from '../../texts/field-words.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './filter-bar.module.css'
import { FilterForm } from './filter-form.tsx'
import { type FilterWord, STATE, takesValue } from './filter-words.ts'
import { useColumnName } from './use-column-name.ts'
import type { List } from './use-list.ts'
import { isNumberType } from '../../api/attributes.ts'
import { useDelayed } from '../../design/use-delayed.ts'

export function FilterBar({ list }: { readonly list: List }) {
  const { t } = useTexts()
  const add = useRef<HTMLButtonElement>(null)
  const filters = list.search.filters ?? []
  const put = (words: readonly FilterWord[]): void =>
    list.change({ filters: words.length === 0 ? undefined : words })
  return (
    <div className={styles['bar']}>
      <ListSearchBox list={list} />
      <ul className={styles['chips']} aria-label={t('list.filters')}>
        {filters.map((word, at) => (
          <li key={`${word.at} ${word.is} ${word.to ?? ''}`} className={styles['chip']}>
            <DialogTrigger>
              <AriaButton className={styles['words'] ?? ''}>
                <FilterText list={list} word={word} />
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

function ListSearchBox({ list }: { readonly list: List }) {
  const [text, setText] = useState(list.search.q ?? '')
  const search = useDelayed((q: string) => list.change({ q: q === '' ? undefined : q }))
  return (
    <SearchBox
      value={text}
      onChange={(value) => {
        setText(value)
        search(value.trim())
      }}
    />
  )
}

function FilterText({ list, word }: { readonly list: List; readonly word: FilterWord }) {
  const { t, number, language } = useTexts()
  const nameOf = useColumnName(list.declaration.attributes)
  const { at, is, to = '', as = to } = word
  const state = at === STATE ? ENTRY_STATES.find((one) => one === to) : undefined
  const attribute = list.declaration.attributes[at]
  const isNumber = isNumberType(attribute?.type ?? '')
  const name = attribute?.type === 'enumeration' ? valueName(to, attribute, language) : as
  const text = isNumber ? number(to) : name
  const value = state === undefined ? text : t(`list.state.${state}`)
  return (
    <>
      <b>{nameOf(at)}</b> {t(`filter.${is}`)}
      {takesValue(is) && ` ${value}`}
    </>
  )
}
