import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../api/request.ts'
import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { type Session, sessionQuery, signInByLink, startQuery } from '../api/session.ts'
import { useTexts } from '../texts/texts.ts'
import { Button } from '../design/button.tsx'
import { Gate } from './gate.tsx'
import { tokenOfAddress } from './link-token.ts'
import { SignInForm } from './sign-in-form.tsx'
import { readSignInSearch } from './sign-in-search.ts'
import styles from './sign-in.module.css'

export function SignInScreen() {
  const { t } = useTexts()
  const { to, problem: elsewhere } = readSignInSearch(useSearch({ from: '/sign-in' }))
  const { data: start } = useSuspenseQuery(startQuery)
  const client = useQueryClient()
  const navigate = useNavigate()
  const [token, setToken] = useState(tokenOfAddress)
  const [problem, setProblem] = useState(elsewhere === undefined ? null : t(`signIn.${elsewhere}`))
  const enter = (session: Session): void => {
    client.setQueryData(sessionQuery.queryKey, session)
    void navigate({ href: to ?? '/' })
  }
  const enterByLink = (given: string): void => {
    signInByLink(given)
      .then(enter)
      .catch((error: unknown) => {
        setToken(null)
        setProblem(
          error instanceof ApiError && error.status === 0 ? t('error.network') : t('link.used'),
        )
      })
  }
  if (start.firstAdministrator) return <Navigate to="/first-start" hash />
  // Requires a press, so that mail scanners that open links do not use up the token.
  if (token !== null) {
    return (
      <Gate title={t('signIn.title')}>
        <Button look="primary" autoFocus onPress={() => enterByLink(token)}>
          {t('signIn.submit')}
        </Button>
      </Gate>
    )
  }
  return (
    <Gate title={t('signIn.title')} {...(problem !== null && { hint: problem })}>
      <SignInForm onSignedIn={enter}>
        {start.oidc !== null && (
          <>
            <span className={styles['or']}>{t('signIn.or')}</span>
            <a className={styles['other']} href="/admin/oidc">
              {t('signIn.oidc', { name: start.oidc.label })}
            </a>
          </>
        )}
        <Link to="/forgot-password" className={styles['link'] ?? ''}>
          {t('forgot.link')}
        </Link>
      </SignInForm>
    </Gate>
  )
}
