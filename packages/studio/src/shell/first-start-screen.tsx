import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { ApiError, type Fault } from '../api/request.ts'
import { addFirstAdministrator, sessionQuery, startQuery } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { secretOf, textOf } from '../design/form-fields.tsx'
import { TextInput } from '../design/text-input.tsx'
import { useTexts } from '../texts/texts.ts'
import { Gate } from './gate.tsx'
import { tokenOfAddress } from './link-token.ts'
import { messageOf } from './sign-in-form.tsx'
import styles from './sign-in.module.css'

/** Behind the link that the server prints at its first start: `#token=…`. */
export function FirstStartScreen() {
  const { t } = useTexts()
  const [token] = useState(tokenOfAddress)
  if (token === null) {
    return (
      <Gate title={t('firstStart.title')} hint={t('firstStart.noToken')}>
        {null}
      </Gate>
    )
  }
  return (
    <Gate title={t('firstStart.title')} hint={t('firstStart.hint')}>
      <FirstStartForm token={token} />
    </Gate>
  )
}

interface Problem {
  readonly message: string | null
  readonly faults: readonly Fault[]
}

const FINE: Problem = { message: null, faults: [] }

function FirstStartForm({ token }: { readonly token: string }) {
  const { t } = useTexts()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [problem, setProblem] = useState(FINE)
  const [isBusy, setBusy] = useState(false)
  const submit = async (form: FormData): Promise<void> => {
    setBusy(true)
    setProblem(FINE)
    try {
      const session = await addFirstAdministrator({
        token,
        name: textOf(form, 'name'),
        email: textOf(form, 'email'),
        password: secretOf(form, 'password'),
      })
      client.setQueryData(sessionQuery.queryKey, session)
      client.removeQueries({ queryKey: startQuery.queryKey })
      await navigate({ to: '/', replace: true })
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setBusy(false)
    }
  }
  const errorOf = (name: string) =>
    problem.faults.find(({ path }) => path.join('.') === name)?.message
  return (
    <Form
      className={styles['form'] ?? ''}
      onSubmit={(event) => {
        event.preventDefault()
        void submit(new FormData(event.currentTarget))
      }}
    >
      <TextInput
        label={t('firstStart.name')}
        name="name"
        autoComplete="name"
        isRequired
        autoFocus
        error={errorOf('name')}
      />
      <TextInput
        label={t('signIn.email')}
        name="email"
        type="email"
        autoComplete="username"
        isRequired
        error={errorOf('email')}
      />
      <TextInput
        label={t('signIn.password')}
        name="password"
        type="password"
        autoComplete="new-password"
        isRequired
        error={errorOf('password')}
      />
      <p role="alert" className={styles['problem']}>
        {problem.message}
      </p>
      <Button type="submit" look="primary" isPending={isBusy}>
        {t('firstStart.submit')}
      </Button>
    </Form>
  )
}

/** Faults stand at their fields, anything else below them. */
function problemOf(error: unknown): Problem {
  const faults = error instanceof ApiError ? error.faults : []
  const placed = faults.some(({ path }) => ['name', 'email', 'password'].includes(path.join('.')))
  return { message: placed ? null : messageOf(error), faults }
}
