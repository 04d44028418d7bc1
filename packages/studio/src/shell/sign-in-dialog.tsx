import { useQueryClient } from '@tanstack/react-query'
import { sessionQuery } from '../api/session.ts'
import { Dialog } from '../design/dialog.tsx'
import { useTexts } from '../texts/texts.ts'
import { SignInForm } from './sign-in-form.tsx'

export function SignInDialog({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const { t } = useTexts()
  const client = useQueryClient()
  const email = client.getQueryData(sessionQuery.queryKey)?.administrator.email
  return (
    <Dialog title={t('signIn.again')} isOpen onClose={() => {}} isAlert>
      <p>{t('signIn.again.hint')}</p>
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
