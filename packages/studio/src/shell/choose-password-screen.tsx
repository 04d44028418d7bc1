import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { choosePassword, sessionQuery } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { FormFields, readUntrimmedText } from '../design/form-fields.tsx'
import { TextInput } from '../design/text-input.tsx'
import { useAction } from '../design/use-action.ts'
import { useTexts } from '../texts/texts.ts'
import { Gate } from './gate.tsx'
import { tokenOfAddress } from './link-token.ts'

export function ChoosePasswordScreen() {
  const { t } = useTexts()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [token] = useState(tokenOfAddress)
  const action = useAction(['password', 'token'])
  if (token === null) {
    return (
      <Gate title={t('password.title')} hint={t('link.missing')}>
        {null}
      </Gate>
    )
  }
  const submit = (form: FormData): void =>
    action.run(() => choosePassword(token, readUntrimmedText(form, 'password')), {
      onDone: (session) => {
        client.setQueryData(sessionQuery.queryKey, session)
        void navigate({ to: '/', replace: true })
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
