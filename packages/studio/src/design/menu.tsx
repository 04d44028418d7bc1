import type { ReactElement, ReactNode } from 'react'
import {
  Header,
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type MenuItemProps,
  type MenuProps,
  MenuSection,
  type MenuSectionProps,
  MenuTrigger,
  Popover,
  type PopoverProps,
  Text,
} from 'react-aria-components'
import { Icon } from './icons/icon.tsx'
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

export interface DropdownSectionProps<T extends object> extends Omit<
  MenuSectionProps<T>,
  'className' | 'style' | 'children'
> {
  readonly title: string
  readonly children: ReactNode
}

export function DropdownSection<T extends object>(props: DropdownSectionProps<T>) {
  const { title, children, ...section } = props
  return (
    <MenuSection {...section} className={styles['section'] ?? ''}>
      <Header className={styles['title'] ?? ''}>{title}</Header>
      {children}
    </MenuSection>
  )
}

export interface ItemProps extends Omit<MenuItemProps, 'className' | 'style' | 'children'> {
  readonly tone?: 'plain' | 'danger'
  readonly icon?: ReactNode
  readonly note?: ReactNode
  /** A second line. */
  readonly hint?: string | undefined
  readonly children: string
}

export function DropdownItem({ tone = 'plain', icon, note, hint, children, ...props }: ItemProps) {
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
          {icon !== undefined && <span className={styles['icon']}>{icon}</span>}
          <span className={styles['text']}>
            {children}
            {hint !== undefined && (
              <Text slot="description" className={styles['hint'] ?? ''}>
                {hint}
              </Text>
            )}
          </span>
          {note !== undefined && <span className={styles['note']}>{note}</span>}
        </>
      )}
    </AriaMenuItem>
  )
}
