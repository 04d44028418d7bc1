import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { type Session, sessionQuery, startQuery } from '../api/session.ts'
import { useTexts } from '../texts/texts.ts'
import { Gate } from './gate.tsx'
import { SignInForm } from './sign-in-form.tsx'
import styles from './sign-in.module.css'

export function SignInScreen() {
  const { t } = useTexts()
  const { to = '/' } = useSearch({ from: '/sign-in' })
  const { data: start } = useSuspenseQuery(startQuery)
  const client = useQueryClient()
  const navigate = useNavigate()
  if (start.firstAdministrator) return <Navigate to="/first-start" hash />
  const enter = (session: Session): void => {
    client.setQueryData(sessionQuery.queryKey, session)
    void navigate({ href: to })
  }
  return (
    <Gate title={t('signIn.title')}>
      <SignInForm onSignedIn={enter}>
        {start.oidc !== null && (
          <>
            <span className={styles['or']}>{t('signIn.or')}</span>
            <a className={styles['other']} href="/admin/oidc">
              {t('signIn.oidc', { name: start.oidc.label })}
            </a>
          </>
        )}
      </SignInForm>
    </Gate>
  )
}
