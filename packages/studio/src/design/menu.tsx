import type { ReactElement, ReactNode } from 'react'
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type MenuItemProps,
  type MenuProps,
  MenuTrigger,
  Popover,
  type PopoverProps,
} from 'react-aria-components'
import { Icon } from './icon.tsx'
import styles from './menu.module.css'

export interface DropdownProps<T extends object> extends Omit<MenuProps<T>, 'className' | 'style'> {
  readonly trigger: ReactElement
  readonly placement?: PopoverProps['placement']
  readonly isOpenAtFirst?: boolean
}

export function Dropdown<T extends object>(props: DropdownProps<T>) {
  const { trigger, placement = 'bottom end', isOpenAtFirst = false, ...menu } = props
  return (
    <MenuTrigger defaultOpen={isOpenAtFirst}>
      {trigger}
      <Popover placement={placement} className={styles['popover'] ?? ''}>
        <AriaMenu {...menu} className={styles['menu'] ?? ''} />
      </Popover>
    </MenuTrigger>
  )
}

export interface ItemProps extends Omit<MenuItemProps, 'className' | 'style' | 'children'> {
  readonly tone?: 'plain' | 'danger'
  readonly note?: ReactNode
  readonly children: string
}

export function DropdownItem({ tone = 'plain', note, children, ...props }: ItemProps) {
  return (
    <AriaMenuItem
      {...props}
      textValue={children}
      className={`${styles['item']} ${tone === 'danger' ? styles['danger'] : ''}`}
    >
      {({ isSelected, selectionMode }) => (
        <>
          {selectionMode !== 'none' && (
            <span className={styles['tick']}>{isSelected && <Icon name="check" size={14} />}</span>
          )}
          <span className={styles['text']}>{children}</span>
          {note !== undefined && <span className={styles['note']}>{note}</span>}
        </>
      )}
    </AriaMenuItem>
  )
}
