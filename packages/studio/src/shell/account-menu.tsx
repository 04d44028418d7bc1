import { Suspense, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { useSession } from '../api/session.ts'
import { Avatar } from '../design/avatar.tsx'
import { lazyPart } from '../design/load-part.tsx'
import { LoadBoundary } from '../design/not-loaded.tsx'
import styles from './account-menu.module.css'

const AccountDropdown = lazyPart(
  async () => (await import('./account-dropdown.tsx')).AccountDropdown,
)

/** The account button in the navigation. Its menu loads when it is first opened. */
export function AccountMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { administrator } = useSession()
  const [isWanted, want] = useState(false)
  const content = (
    <>
      <Avatar name={administrator.name} />
      <span className={styles['name']}>{administrator.name}</span>
    </>
  )
  const before = (
    <AriaButton
      className={styles['me'] ?? ''}
      aria-haspopup="menu"
      aria-expanded={false}
      onPress={() => want(true)}
    >
      {content}
    </AriaButton>
  )
  if (!isWanted) return before
  return (
    <LoadBoundary>
      <Suspense fallback={before}>
        <AccountDropdown
          trigger={
            // Replaces the focused button, so it takes the focus.
            <AriaButton autoFocus className={styles['me'] ?? ''}>
              {content}
            </AriaButton>
          }
          label={administrator.name}
          onHelp={onHelp}
        />
      </Suspense>
    </LoadBoundary>
  )
}
