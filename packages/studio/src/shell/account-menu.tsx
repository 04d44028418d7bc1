import { Button as AriaButton } from 'react-aria-components'
import { useSession } from '../api/session.ts'
import { Avatar } from '../design/avatar.tsx'
import { Dropdown, DropdownItem } from '../design/menu.tsx'
import { useTexts } from '../texts/texts.ts'
import styles from './account-menu.module.css'
import { useSignOut } from './use-sign-out.ts'

/** Who is signed in, at the foot of the navigation. */
export function AccountMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { t } = useTexts()
  const { administrator } = useSession()
  const leave = useSignOut()
  const trigger = (
    <AriaButton className={styles['me'] ?? ''}>
      <Avatar name={administrator.name} />
      <span className={styles['name']}>{administrator.name}</span>
    </AriaButton>
  )
  return (
    <Dropdown trigger={trigger} placement="top start" aria-label={administrator.name}>
      <DropdownItem onAction={onHelp} note="?">
        {t('keys.title')}
      </DropdownItem>
      <DropdownItem onAction={() => void leave()}>{t('signOut')}</DropdownItem>
    </Dropdown>
  )
}
