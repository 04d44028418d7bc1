import { updateUser, type User } from '../../api/users.ts'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readUntrimmedText } from '../../design/form-fields.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'

export interface PasswordDialogProps {
  readonly user: User
  readonly onClose: () => void
}

export function PasswordDialog({ user, onClose }: PasswordDialogProps) {
  const { t } = useTexts()
  const action = useAction(['password'])
  return (
    <FormDialog
      title={t('users.passwordOf', { name: user.username })}
      isOpen
      onClose={onClose}
      submit={t('action.save')}
      isBusy={action.isBusy}
      problem={action.problem}
      onSubmit={(form) => {
        const password = readUntrimmedText(form, 'password')
        action.run(() => updateUser(user.documentId, { password }), {
          says: t('users.passwordSet'),
          onDone: onClose,
        })
      }}
    >
      <TextInput
        label={t('settings.newPassword')}
        hint={t('users.setPasswordHint')}
        name="password"
        type="password"
        autoComplete="new-password"
        autoFocus
        error={action.faultOf('password')}
      />
    </FormDialog>
  )
}
