import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { startQuery } from '../../api/session.ts'
import { createUser, updateUser, type User, type UserInput } from '../../api/users.ts'
import { Checkbox } from '../../design/checkbox.tsx'
import { Choice } from '../../design/choice.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readText, readUntrimmedText } from '../../design/form-fields.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { notify, notifyFailure } from '../../design/toasts.tsx'
import { type Action, useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { useUserRoles } from './user-filter-bar.tsx'

export interface UserDialogProps {
  /** Null for a new user. */
  readonly user: User | null
  readonly onClose: () => void
}

const NEW_USER: Pick<User, 'username' | 'email' | 'role' | 'confirmed'> = {
  username: '',
  email: '',
  role: { type: 'authenticated', name: '' },
  confirmed: false,
}

export function UserDialog({ user, onClose }: UserDialogProps) {
  const { t } = useTexts()
  const action = useAction(['username', 'email', 'password', 'role'])
  const roles = useUserRoles()
  const { username, email, ...held } = user ?? NEW_USER
  const [role, setRole] = useState(held.role?.type ?? null)
  const [confirmed, setConfirmed] = useState(held.confirmed === true)
  const save = useSaving(user, action, onClose)
  return (
    <FormDialog
      title={user === null ? t('users.new') : username}
      isOpen
      onClose={onClose}
      submit={t(user === null ? 'settings.create' : 'action.save')}
      isBusy={action.isBusy}
      problem={action.problem ?? action.faultOf('role') ?? null}
      onSubmit={(form) => save(readUser(form, user, { role, confirmed }))}
    >
      <TextInput
        label={t('users.username')}
        name="username"
        defaultValue={username}
        autoComplete="off"
        autoFocus
        error={action.faultOf('username')}
      />
      <TextInput
        label={t('signIn.email')}
        name="email"
        type="email"
        defaultValue={email ?? ''}
        autoComplete="off"
        error={action.faultOf('email')}
      />
      {user === null && <NewPassword error={action.faultOf('password')} />}
      {roles.length > 0 && (
        <Choice label={t('users.role')} options={roles} value={role} onChange={setRole} />
      )}
      <Checkbox isSelected={confirmed} onChange={setConfirmed}>
        {t('users.isConfirmed')}
      </Checkbox>
    </FormDialog>
  )
}

function NewPassword({ error }: { readonly error: string | undefined }) {
  const { t } = useTexts()
  const mail = useQuery(startQuery).data?.mail === true
  return (
    <TextInput
      label={t('signIn.password')}
      hint={t(mail ? 'users.passwordByMail' : 'users.passwordNeeded')}
      name="password"
      type="password"
      autoComplete="new-password"
      error={error}
    />
  )
}

interface Chosen {
  readonly role: string | null
  readonly confirmed: boolean
}

/** Anonymous users can stay without an e-mail address. */
function readUser(form: FormData, user: User | null, { role, confirmed }: Chosen): UserInput {
  const password = readUntrimmedText(form, 'password')
  const email = readText(form, 'email')
  return {
    username: readText(form, 'username'),
    ...((email !== '' || user?.email !== null) && { email }),
    ...(password !== '' && { password }),
    ...(role !== null && role !== user?.role?.type && { role }),
    confirmed,
  }
}

function useSaving(
  user: User | null,
  action: Action,
  onClose: () => void,
): (input: UserInput) => void {
  const { t } = useTexts()
  const changes = ['users']
  return (input) => {
    if (user !== null) {
      action.run(() => updateUser(user.documentId, input), { changes, onDone: onClose })
      return
    }
    action.run(() => createUser(input), {
      changes,
      onDone: ({ mailed }) => {
        onClose()
        if (mailed) notify(t('users.invited', { email: input.email ?? '' }))
        else if (input.password === undefined) notifyFailure(t('users.notInvited'))
      },
    })
  }
}
