import { useQuery } from '@tanstack/react-query'
import { startQuery, useMay } from '../../api/session.ts'
import { mailPasswordReset, updateUser, type User } from '../../api/users.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { notify, notifyFailure } from '../../design/toasts.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'

export interface UserMenuProps {
  readonly user: User
  readonly onOpen: (dialog: 'password' | 'delete') => void
}

const changes = ['users']

export function UserMenu({ user, onOpen }: UserMenuProps) {
  const { t } = useTexts()
  const may = useMay()
  const action = useAction()
  const mail = useQuery(startQuery).data?.mail === true
  const { documentId, username, email } = user
  const isBlocked = user.blocked === true
  const mayUpdate = may('plugin::users-permissions.user.update')
  const mayDelete = may('plugin::users-permissions.user.destroy')
  if (!mayUpdate && !mayDelete) return null
  const setBlocked = (blocked: boolean) => updateUser(documentId, { blocked })
  const toggle = (): void =>
    action.run(() => setBlocked(!isBlocked), {
      changes,
      says: t(isBlocked ? 'users.wasUnblocked' : 'users.wasBlocked', { name: username }),
      undo: () => () => setBlocked(isBlocked),
    })
  const sendMail = (): void =>
    action.run(() => mailPasswordReset(documentId), {
      onDone: ({ mailed }) =>
        mailed
          ? notify(t('users.mailed', { email: email ?? '' }))
          : notifyFailure(t('users.notMailed')),
    })
  return (
    <Dropdown
      aria-label={username}
      trigger={
        <Button look="quiet" square small aria-label={`${t('action.more')}: ${username}`}>
          <Icon name="more" />
        </Button>
      }
    >
      {mayUpdate && email !== null ? (
        <DropdownItem
          isDisabled={!mail || isBlocked}
          hint={mail ? undefined : t('users.noMail')}
          onAction={sendMail}
        >
          {t('users.sendMail')}
        </DropdownItem>
      ) : null}
      {mayUpdate && email !== null ? (
        <DropdownItem onAction={() => onOpen('password')}>{t('users.setPassword')}</DropdownItem>
      ) : null}
      {mayUpdate ? (
        <DropdownItem tone={isBlocked ? 'plain' : 'danger'} onAction={toggle}>
          {t(isBlocked ? 'users.unblock' : 'users.block')}
        </DropdownItem>
      ) : null}
      {mayDelete ? (
        <DropdownItem tone="danger" onAction={() => onOpen('delete')}>
          {t('action.delete')}
        </DropdownItem>
      ) : null}
    </Dropdown>
  )
}
