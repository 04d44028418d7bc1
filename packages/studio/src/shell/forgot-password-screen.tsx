import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { askForPasswordLink, startQuery } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { FormFields, readText } from '../design/form-fields.tsx'
import { TextInput } from '../design/text-input.tsx'
import { useAction } from '../design/use-action.ts'
import { useTexts } from '../texts/texts.ts'
import { Gate } from './gate.tsx'
import styles from './sign-in.module.css'

export function ForgotPasswordScreen() {
  const { t } = useTexts()
  const { data: start } = useSuspenseQuery(startQuery)
  const action = useAction(['email'])
  const [isSent, setSent] = useState(false)
  const submit = (form: FormData): void =>
    action.run(() => askForPasswordLink(readText(form, 'email')), { onDone: () => setSent(true) })
  const hint = isSent ? {} : { hint: t(start.mail ? 'forgot.hint' : 'forgot.noMail') }
  return (
    <Gate title={t('forgot.title')} {...hint}>
      {start.mail && !isSent && (
        <FormFields problem={action.problem} onSubmit={submit}>
          <TextInput
            label={t('signIn.email')}
            name="email"
            type="email"
            autoComplete="username"
            isRequired
            autoFocus
            error={action.faultOf('email')}
          />
          <Button type="submit" look="primary" isPending={action.isBusy}>
            {t('forgot.submit')}
          </Button>
        </FormFields>
      )}
      <p role="status">{isSent && t('forgot.sent')}</p>
      <Link to="/sign-in" className={styles['link'] ?? ''}>
        {t('forgot.back')}
      </Link>
    </Gate>
  )
}
