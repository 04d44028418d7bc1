import { type ReactNode, type RefObject, useRef } from 'react'
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
  /** Shown in place of the chip. */
  readonly group?: ReactNode
}

export interface FilterChipsProps extends Omit<FilterFormProps, 'word' | 'onDone'> {
  readonly label: string
  readonly labels: { readonly add: string; readonly edit: string; readonly remove: string }
  readonly chips: readonly FilterChip[]
  readonly onAdd: (word: FilterWord) => void
  readonly onChange: (at: number, word: FilterWord) => void
  readonly onRemove: (at: number) => void
  readonly addButton?: RefObject<HTMLButtonElement | null>
  /** Takes the focus after a removal. Default: the button that adds a filter. */
  readonly next?: RefObject<HTMLButtonElement | null>
  /** Next to the button that adds a filter. */
  readonly more?: ReactNode
}

export function FilterChips(props: FilterChipsProps) {
  const { label, labels, chips, onAdd, onChange, onRemove, addButton, next, more, ...form } = props
  const own = useRef<HTMLButtonElement>(null)
  const add = addButton ?? own
  return (
    <ul className={styles['chips']} aria-label={label}>
      {chips.map(({ word, text, group }, at) =>
        group === undefined ? (
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
                ;(next ?? add).current?.focus()
              }}
            >
              <Icon name="close" size={12} />
            </AriaButton>
          </li>
        ) : (
          <li key={`group ${at}`}>{group}</li>
        ),
      )}
      <li>
        <AddFilter {...form} label={labels.add} button={add} onDone={onAdd} />
      </li>
      {more !== undefined && <li>{more}</li>}
    </ul>
  )
}

export interface AddFilterProps extends Omit<FilterFormProps, 'word'> {
  readonly label: string
  readonly button?: RefObject<HTMLButtonElement | null>
}

export function AddFilter({ label, button, onDone, ...form }: AddFilterProps) {
  return (
    <DialogTrigger>
      <AriaButton ref={button ?? null} className={styles['add'] ?? ''}>
        {label}
      </AriaButton>
      <PopoverDialog label={label}>
        {(close) => (
          <FilterForm
            {...form}
            onDone={(word) => {
              onDone(word)
              close()
            }}
          />
        )}
      </PopoverDialog>
    </DialogTrigger>
  )
}

function keyOf(word: FilterWord | null, at: number): string {
  return word === null
    ? String(at)
    : `${word.at} ${word.is} ${word.variable ?? word.to ?? word.among?.join() ?? ''}`
}
