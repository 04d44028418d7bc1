import { useQueryClient } from '@tanstack/react-query'
import type { SignInReason } from '../api/request.ts'
import { sessionQuery } from '../api/session.ts'
import { Dialog } from '../design/dialog.tsx'
import { useTexts } from '../texts/texts.ts'
import { SignInForm } from './sign-in-form.tsx'

export interface SignInDialogProps {
  readonly reason: SignInReason
  readonly onSignedIn: () => void
  /** Only while the old session is valid. */
  readonly onClose: () => void
}

export function SignInDialog({ reason, onSignedIn, onClose }: SignInDialogProps) {
  const { t } = useTexts()
  const client = useQueryClient()
  const email = client.getQueryData(sessionQuery.queryKey)?.administrator.email
  const isEnded = reason === 'ended'
  return (
    <Dialog
      title={t(isEnded ? 'signIn.again' : 'signIn.recent')}
      isOpen
      onClose={isEnded ? () => {} : onClose}
      isAlert={isEnded}
    >
      <p>{t(isEnded ? 'signIn.again.hint' : 'signIn.recent.hint')}</p>
      <br />
      <SignInForm
        {...(email !== undefined && { email })}
        onSignedIn={(session) => {
          client.setQueryData(sessionQuery.queryKey, session)
          onSignedIn()
        }}
      />
    </Dialog>
  )
}
