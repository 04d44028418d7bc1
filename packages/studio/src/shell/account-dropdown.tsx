import type { ReactElement } from 'react'
import { Icon } from '../design/icons/icon.tsx'
import { Dropdown, DropdownItem, DropdownSection } from '../design/menu.tsx'
import { useTexts } from '../texts/texts.ts'
import { THEMES, type ThemeChoice, useTheme } from '../design/theme.ts'
import { useSignOut } from './use-sign-out.ts'

export interface AccountDropdownProps {
  readonly trigger: ReactElement
  readonly label: string
  readonly onHelp: () => void
}

export function AccountDropdown({ trigger, label, onHelp }: AccountDropdownProps) {
  const { t } = useTexts()
  const leave = useSignOut()
  const [theme, chooseTheme] = useTheme()
  return (
    <Dropdown trigger={trigger} placement="top start" aria-label={label} isOpenAtFirst>
      <DropdownSection
        title={t('theme.title')}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[theme]}
        onSelectionChange={(keys) => {
          for (const key of keys) chooseTheme(key as ThemeChoice)
        }}
      >
        {THEMES.map((one) => (
          <DropdownItem key={one} id={one} icon={<Icon name={one} />}>
            {t(`theme.${one}`)}
          </DropdownItem>
        ))}
      </DropdownSection>
      <DropdownItem onAction={onHelp} icon={<Icon name="keys" />} note="?">
        {t('keys.title')}
      </DropdownItem>
      <DropdownItem onAction={() => void leave()} icon={<Icon name="leave" />}>
        {t('signOut')}
      </DropdownItem>
    </Dropdown>
  )
}
