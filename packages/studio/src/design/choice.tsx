import {
  Button as AriaButton,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
} from 'react-aria-components'
import type { ReactNode } from 'react'
import styles from './choice.module.css'
import { Icon } from './icons/icon.tsx'
import fieldStyles from './text-input.module.css'
import menuStyles from './menu.module.css'

export interface Option {
  readonly id: string
  readonly name: string
  readonly icon?: ReactNode
}

export interface ChoiceProps {
  readonly label: string
  readonly options: readonly Option[]
  readonly value: string | null
  readonly onChange: (id: string) => void
  /** Hides the label visually, for use in a row of buttons. */
  readonly isInline?: boolean
  readonly autoFocus?: boolean
}

export function Choice(props: ChoiceProps) {
  const { label, options, value, onChange, isInline = false, autoFocus = false } = props
  return (
    <Select
      {...(isInline && { 'aria-label': label })}
      value={value}
      autoFocus={autoFocus}
      onChange={(key) => {
        if (key !== null) onChange(String(key))
      }}
      className={isInline ? (styles['inline'] ?? '') : (fieldStyles['field'] ?? '')}
    >
      {!isInline && <Label className={fieldStyles['label'] ?? ''}>{label}</Label>}
      <AriaButton className={isInline ? (styles['quiet'] ?? '') : (styles['button'] ?? '')}>
        <SelectValue className={styles['value'] ?? ''} />
        <Icon name="down" size={14} />
      </AriaButton>
      <Popover className={`${menuStyles['popover']} ${styles['popover']}`} placement="bottom start">
        <ListBox items={options} className={menuStyles['menu'] ?? ''}>
          {({ id, name, icon }) => (
            <ListBoxItem id={id} textValue={name} className={menuStyles['item'] ?? ''}>
              {({ isSelected }) => (
                <>
                  {icon !== undefined && <span className={menuStyles['icon']}>{icon}</span>}
                  <span className={menuStyles['text']}>{name}</span>
                  {isSelected && <Icon name="check" size={14} />}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  )
}
