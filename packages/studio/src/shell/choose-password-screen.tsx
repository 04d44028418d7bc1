import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { choosePassword, type Session, sessionQuery } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { FormFields, readUntrimmedText } from '../design/form-fields.tsx'
import { TextInput } from '../design/text-input.tsx'
import { useAction } from '../design/use-action.ts'
import { useTexts } from '../texts/texts.ts'
import { CodeForm } from './code-form.tsx'
import { Gate } from './gate.tsx'
import { tokenOfAddress } from './link-token.ts'

export function ChoosePasswordScreen() {
  const { t } = useTexts()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [token] = useState(tokenOfAddress)
  const action = useAction(['password', 'token'])
  const [pending, setPending] = useState<string | null>(null)
  if (token === null) {
    return (
      <Gate title={t('password.title')} hint={t('link.missing')}>
        {null}
      </Gate>
    )
  }
  const enter = (session: Session): void => {
    client.setQueryData(sessionQuery.queryKey, session)
    void navigate({ to: '/', replace: true })
  }
  if (pending !== null) {
    return (
      <Gate title={t('signIn.title')}>
        <CodeForm
          pending={pending}
          onSignedIn={enter}
          onBack={() => void navigate({ to: '/sign-in', replace: true })}
        />
      </Gate>
    )
  }
  const submit = (form: FormData): void =>
    action.run(() => choosePassword(token, readUntrimmedText(form, 'password')), {
      onDone: (entered) => {
        if ('pending' in entered) setPending(entered.pending)
        else enter(entered)
      },
    })
  return (
    <Gate title={t('password.title')}>
      <FormFields problem={action.faultOf('token') ?? action.problem} onSubmit={submit}>
        <TextInput
          label={t('signIn.password')}
          name="password"
          type="password"
          autoComplete="new-password"
          autoFocus
          error={action.faultOf('password')}
        />
        <Button type="submit" look="primary" isPending={action.isBusy}>
          {t('password.submit')}
        </Button>
      </FormFields>
    </Gate>
  )
}
