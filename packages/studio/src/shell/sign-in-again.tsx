import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { onSignedOut } from '../api/request.ts'
import { sessionQuery } from '../api/session.ts'
import { Dialog } from '../design/dialog.tsx'
import { useTexts } from '../texts/texts.ts'
import { SignInForm } from './sign-in-form.tsx'

/**
 * Over whatever is open when the session has ended: requests wait until somebody has signed in, and
 * the screen behind stays as it is.
 */
export function SignInAgain() {
  const { t } = useTexts()
  const client = useQueryClient()
  const [waiting, setWaiting] = useState<readonly (() => void)[]>([])
  useEffect(() => {
    onSignedOut(() => new Promise((resolve) => setWaiting((others) => [...others, resolve])))
  }, [])
  const email = client.getQueryData(sessionQuery.queryKey)?.administrator.email
  return (
    <Dialog title={t('signIn.again')} isOpen={waiting.length > 0} onClose={() => {}} isAlert>
      <p>{t('signIn.again.hint')}</p>
      <br />
      <SignInForm
        {...(email !== undefined && { email })}
        onSignedIn={(session) => {
          client.setQueryData(sessionQuery.queryKey, session)
          for (const goOn of waiting) goOn()
          setWaiting([])
        }}
      />
    </Dialog>
  )
}
