import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useMay } from '../../api/session.ts'
import { type User, type UserFilter, type UserPages, usersQuery } from '../../api/users.ts'
import { Avatar } from '../../design/avatar.tsx'
import { Button } from '../../design/button.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { Notice } from '../../design/notice.tsx'
import { PageSection } from '../../design/page-section.tsx'
import section from '../../design/page-section.module.css'
import { Pages } from '../../design/pages.tsx'
import { useTexts } from '../../texts/texts.ts'
import { DeleteUserDialog } from './delete-user-dialog.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { UserDialog } from './user-dialog.tsx'
import { UserFilterBar } from './user-filter-bar.tsx'
import { UserMenu } from './user-menu.tsx'
import styles from './users.module.css'

/** The dialog that is open, and its user. */
type Open =
  | { readonly dialog: 'new' }
  | { readonly dialog: 'edit' | 'password' | 'delete'; readonly user: User }

export function UsersSection() {
  const { t } = useTexts()
  const mayCreate = useMay()('plugin::users-permissions.user.create')
  const [filter, setFilter] = useState<UserFilter>({})
  const [page, setPage] = useState(1)
  const [open, setOpen] = useState<Open | null>(null)
  const found = useQuery({ ...usersQuery(filter, page), placeholderData: keepPreviousData })
  if (found.error !== null) throw found.error
  const { data: users, meta } = found.data ?? {}
  const add = mayCreate && (
    <Button onPress={() => setOpen({ dialog: 'new' })}>{t('users.new')}</Button>
  )
  const isFiltered = Object.keys(filter).length > 0
  const isEmpty = users?.length === 0 && page === 1
  const isBegun = isFiltered || !isEmpty
  return (
    <PageSection title={t('settings.users')} hint={t('users.hint')} action={isBegun && add}>
      {isBegun && (
        <UserFilterBar
          filter={filter}
          onChange={(changed) => {
            setFilter(changed)
            setPage(1)
          }}
        />
      )}
      {users === undefined && <Skeleton />}
      {isEmpty && <NoUsers isFiltered={isFiltered} add={add} />}
      <UserRows users={users ?? []} onOpen={(dialog, user) => setOpen({ dialog, user })} />
      {meta !== undefined && !isEmpty && <Foot meta={meta} shown={users} onPage={setPage} />}
      {open !== null && (
        <UserDialogs
          open={open}
          onClose={() => setOpen(null)}
          // The page of the last user on it is empty afterwards.
          onDeleted={() => users?.length === 1 && page > 1 && setPage(page - 1)}
        />
      )}
    </PageSection>
  )
}

interface NoUsersProps {
  readonly isFiltered: boolean
  readonly add: ReactNode
}

function NoUsers({ isFiltered, add }: NoUsersProps) {
  const { t } = useTexts()
  if (isFiltered) return <Notice title={t('users.noMatch')}>{t('users.noMatchHint')}</Notice>
  return (
    <Notice title={t('users.none')} action={add}>
      {t('users.noneHint')}
    </Notice>
  )
}

interface UserDialogsProps {
  readonly open: Open
  readonly onClose: () => void
  readonly onDeleted: () => void
}

function UserDialogs({ open, onClose, onDeleted }: UserDialogsProps) {
  switch (open.dialog) {
    case 'new':
      return <UserDialog user={null} onClose={onClose} />
    case 'edit':
      return <UserDialog user={open.user} onClose={onClose} />
    case 'password':
      return <PasswordDialog user={open.user} onClose={onClose} />
    case 'delete':
      return <DeleteUserDialog user={open.user} onClose={onClose} onDeleted={onDeleted} />
  }
}

interface UserRowsProps {
  readonly users: readonly User[]
  readonly onOpen: (dialog: 'edit' | 'password' | 'delete', user: User) => void
}

function UserRows({ users, onOpen }: UserRowsProps) {
  const { t } = useTexts()
  if (users.length === 0) return null
  return (
    <Rows label={t('settings.users')}>
      {users.map((user) => (
        <UserRow key={user.documentId} user={user} onOpen={(dialog) => onOpen(dialog, user)} />
      ))}
    </Rows>
  )
}

interface UserRowProps {
  readonly user: User
  readonly onOpen: (dialog: 'edit' | 'password' | 'delete') => void
}

function UserRow({ user, onOpen }: UserRowProps) {
  const { t } = useTexts()
  const mayUpdate = useMay()('plugin::users-permissions.user.update')
  const { username, email, role, blocked, confirmed } = user
  const note = [email ?? t('users.anonymous'), role?.name ?? t('users.noRole')].join(' · ')
  return (
    <Row
      title={
        <>
          <Avatar name={username} />
          {username}
          {blocked === true && (
            <span className={`${section['tag']} ${styles['blocked']}`}>{t('users.blocked')}</span>
          )}
          {confirmed !== true && email !== null && (
            <span className={section['tag']}>{t('users.unconfirmed')}</span>
          )}
        </>
      }
      note={note}
    >
      {mayUpdate && (
        <Button
          look="quiet"
          small
          aria-label={`${t('settings.edit')}: ${username}`}
          onPress={() => onOpen('edit')}
        >
          {t('settings.edit')}
        </Button>
      )}
      <UserMenu user={user} onOpen={onOpen} />
    </Row>
  )
}

interface FootProps {
  readonly meta: UserPages
  readonly shown: readonly User[] | undefined
  readonly onPage: (page: number) => void
}

function Foot({ meta: { pagination }, shown = [], onPage }: FootProps) {
  const { t, number } = useTexts()
  const { page, pageSize, total, pageCount } = pagination
  const first = (page - 1) * pageSize
  const range = `${number(first + 1)}–${number(first + shown.length)}`
  const isFull = shown.length === pageSize
  return (
    <div className={styles['foot']}>
      {total === undefined
        ? range
        : t('list.ofAll', { shown: shown.length === total ? number(total) : range, count: total })}
      <Pages page={page} pageCount={pageCount ?? (isFull ? page + 1 : page)} onChange={onPage} />
    </div>
  )
}
