import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { addFirstAdministrator, sessionQuery, startQuery } from '../api/session.ts'
import { studioName } from '../design/branding.ts'
import { Button } from '../design/button.tsx'
import { FormFields, readUntrimmedText, readText } from '../design/form-fields.tsx'
import { TextInput } from '../design/text-input.tsx'
import { useAction } from '../design/use-action.ts'
import { useTexts } from '../texts/texts.ts'
import { Gate } from './gate.tsx'
import { tokenOfAddress } from './link-token.ts'

/** The target of the link that the server prints at its first start, `#token=…`. */
export function FirstStartScreen() {
  const { t } = useTexts()
  const [token] = useState(tokenOfAddress)
  if (token === null) {
    return (
      <Gate title={t('firstStart.title', { name: studioName })} hint={t('firstStart.noToken')}>
        {null}
      </Gate>
    )
  }
  return (
    <Gate title={t('firstStart.title', { name: studioName })} hint={t('firstStart.hint')}>
      <FirstStartForm token={token} />
    </Gate>
  )
}

const FIELDS = ['name', 'email', 'password']

function FirstStartForm({ token }: { readonly token: string }) {
  const { t } = useTexts()
  const client = useQueryClient()
  const navigate = useNavigate()
  const action = useAction(FIELDS)
  const submit = (form: FormData): void => {
    const given = {
      token,
      name: readText(form, 'name'),
      email: readText(form, 'email'),
      password: readUntrimmedText(form, 'password'),
    }
    action.run(() => addFirstAdministrator(given), {
      onDone: (session) => {
        client.setQueryData(sessionQuery.queryKey, session)
        client.removeQueries({ queryKey: startQuery.queryKey })
        void navigate({ to: '/', replace: true })
      },
    })
  }
  return (
    <FormFields problem={action.problem} onSubmit={submit}>
      <TextInput
        label={t('firstStart.name')}
        name="name"
        autoComplete="name"
        isRequired
        autoFocus
        error={action.faultOf('name')}
      />
      <TextInput
        label={t('signIn.email')}
        name="email"
        type="email"
        autoComplete="username"
        isRequired
        error={action.faultOf('email')}
      />
      <TextInput
        label={t('signIn.password')}
        name="password"
        type="password"
        autoComplete="new-password"
        isRequired
        error={action.faultOf('password')}
      />
      <Button type="submit" look="primary" isPending={action.isBusy}>
        {t('firstStart.submit')}
      </Button>
    </FormFields>
  )
}
