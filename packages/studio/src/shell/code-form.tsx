import { useState } from 'react'
import { ApiError } from '../api/request.ts'
import { type Session, signInByCode } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { FormFields, readText } from '../design/form-fields.tsx'
import { TextInput } from '../design/text-input.tsx'
import { useTexts } from '../texts/texts.ts'

export interface CodeFormProps {
  /** The token of the first step. */
  readonly pending: string
  readonly onSignedIn: (session: Session) => void
  /** Returns to the first step, with a problem if the token has expired. */
  readonly onBack: (problem: string | null) => void
}

/** The second step of a sign-in with a password. */
export function CodeForm({ pending, onSignedIn, onBack }: CodeFormProps) {
  const { t } = useTexts()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (form: FormData): Promise<void> => {
    setBusy(true)
    setProblem(null)
    try {
      onSignedIn(await signInByCode(pending, readText(form, 'code')))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (error instanceof ApiError && error.code === 'invalid_pending_sign_in') onBack(message)
      else setProblem(message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <FormFields problem={problem} onSubmit={(form) => void submit(form)}>
      <TextInput
        label={t('signIn.code')}
        hint={t('signIn.codeHint')}
        name="code"
        autoComplete="one-time-code"
        isRequired
        autoFocus
      />
      <Button type="submit" look="primary" isPending={isBusy}>
        {t('signIn.submit')}
      </Button>
      <Button onPress={() => onBack(null)}>{t('action.back')}</Button>
    </FormFields>
  )
}
