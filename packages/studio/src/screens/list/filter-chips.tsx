import { type ReactNode, useRef } from 'react'
import { Button as AriaButton, DialogTrigger } from 'react-aria-components'
import { Icon } from '../../design/icons/icon.tsx'
import { PopoverDialog } from '../../design/popover-dialog.tsx'
import styles from './filter-chips.module.css'
import { FilterForm, type FilterFormProps } from './filter-form.tsx'
import type { FilterWord } from './filter-words.ts'

export interface FilterChip {
  /** Null for a filter that the form cannot show. It can only be removed. */
  readonly word: FilterWord | null
  readonly text: ReactNode
}

export interface FilterChipsProps extends Omit<FilterFormProps, 'word' | 'onDone'> {
  readonly label: string
  readonly labels: { readonly add: string; readonly edit: string; readonly remove: string }
  readonly chips: readonly FilterChip[]
  readonly onAdd: (word: FilterWord) => void
  readonly onChange: (at: number, word: FilterWord) => void
  readonly onRemove: (at: number) => void
}

export function FilterChips(props: FilterChipsProps) {
  const { label, labels, chips, onAdd, onChange, onRemove, ...form } = props
  const add = useRef<HTMLButtonElement>(null)
  return (
    <ul className={styles['chips']} aria-label={label}>
      {chips.map(({ word, text }, at) => (
        <li key={keyOf(word, at)} className={styles['chip']}>
          {word === null ? (
            <code className={styles['text']}>{text}</code>
          ) : (
            <DialogTrigger>
              <AriaButton className={styles['words'] ?? ''}>{text}</AriaButton>
              <PopoverDialog label={labels.edit}>
                {(close) => (
                  <FilterForm
                    {...form}
                    word={word}
                    onDone={(changed) => {
                      onChange(at, changed)
                      close()
                    }}
                  />
                )}
              </PopoverDialog>
            </DialogTrigger>
          )}
          <AriaButton
            className={styles['off'] ?? ''}
            aria-label={labels.remove}
            onPress={() => {
              onRemove(at)
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
            {labels.add}
          </AriaButton>
          <PopoverDialog label={labels.add}>
            {(close) => (
              <FilterForm
                {...form}
                onDone={(word) => {
                  onAdd(word)
                  close()
                }}
              />
            )}
          </PopoverDialog>
        </DialogTrigger>
      </li>
    </ul>
  )
}

function keyOf(word: FilterWord | null, at: number): string {
  return word === null
    ? String(at)
    : `${word.at} ${word.is} ${word.variable ?? word.to ?? word.among?.join() ?? ''}`
}
