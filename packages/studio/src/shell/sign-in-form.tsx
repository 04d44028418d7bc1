import { type ReactNode, useState } from 'react'
import { Form } from 'react-aria-components'
import { ApiError } from '../api/request.ts'
import { type Session, signIn } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { readUntrimmedText, readText } from '../design/form-fields.tsx'
import { TextInput } from '../design/text-input.tsx'
import type { TextKey } from '../texts/english.ts'
import { useTexts } from '../texts/texts.ts'
import { CodeForm } from './code-form.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import styles from './sign-in.module.css'

export interface SignInFormProps {
  readonly email?: string
  readonly onSignedIn: (session: Session) => void
  readonly children?: ReactNode
}

export function SignInForm({ email, onSignedIn, children }: SignInFormProps) {
  const { t } = useTexts()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [pending, setPending] = useState<string | null>(null)
  const submit = async (form: FormData): Promise<void> => {
    setBusy(true)
    setProblem(null)
    try {
      const entered = await signIn(readText(form, 'email'), readUntrimmedText(form, 'password'))
      if ('pending' in entered) setPending(entered.pending)
      else onSignedIn(entered)
    } catch (error) {
      const key = keyOf(error)
      setProblem(key === null ? messageOf(error) : t(key))
    } finally {
      setBusy(false)
    }
  }
  if (pending !== null) {
    const goBack = (reason: string | null): void => {
      setPending(null)
      setProblem(reason)
    }
    return <CodeForm pending={pending} onSignedIn={onSignedIn} onBack={goBack} />
  }
  return (
    <Form
      className={styles['form'] ?? ''}
      onSubmit={(event) => {
        event.preventDefault()
        void submit(new FormData(event.currentTarget))
      }}
    >
      <TextInput
        label={t('signIn.email')}
        name="email"
        type="email"
        autoComplete="username"
        defaultValue={email ?? ''}
        isRequired
        autoFocus={email === undefined}
      />
      <TextInput
        label={t('signIn.password')}
        name="password"
        type="password"
        autoComplete="current-password"
        isRequired
        autoFocus={email !== undefined}
      />
      <p role="alert" className={styles['problem']}>
        {problem}
      </p>
      <Button type="submit" look="primary" isPending={isBusy}>
        {t('signIn.submit')}
      </Button>
      <PasskeyButton onSignedIn={onSignedIn} onProblem={setProblem} />
      {children}
    </Form>
  )
}

function keyOf(error: unknown): TextKey | null {
  if (!(error instanceof ApiError)) return null
  if (error.status === 0) return 'error.network'
  if (error.status === 429) return 'signIn.limited'
  return error.status === 400 || error.status === 401 ? 'signIn.wrong' : null
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
