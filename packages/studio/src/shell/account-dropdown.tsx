import type { ReactElement } from 'react'
import { Dropdown, DropdownItem } from '../design/menu.tsx'
import { useTexts } from '../texts/texts.ts'
import { useSignOut } from './use-sign-out.ts'

export interface AccountDropdownProps {
  readonly trigger: ReactElement
  readonly label: string
  readonly onHelp: () => void
}

export function AccountDropdown({ trigger, label, onHelp }: AccountDropdownProps) {
  const { t } = useTexts()
  const leave = useSignOut()
  return (
    <Dropdown trigger={trigger} placement="top start" aria-label={label} isOpenAtFirst>
      <DropdownItem onAction={onHelp} note="?">
        {t('keys.title')}
      </DropdownItem>
      <DropdownItem onAction={() => void leave()}>{t('signOut')}</DropdownItem>
    </Dropdown>
  )
}
