import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { at, manage, ownSessionsQuery } from '../../api/management.ts'
import { type Session, sessionQuery, useSession } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { FormFields, readUntrimmedText, readText } from '../../design/form-fields.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { notify } from '../../design/toasts.tsx'
import { useAction } from '../../design/use-action.ts'
import { THEMES, type ThemeChoice, useTheme } from '../../design/theme.ts'
import { LANGUAGES, useTexts } from '../../texts/texts.ts'
import { browserOf } from './browser-of.ts'
import styles from '../../design/page-section.module.css'
import { Passkeys } from './passkeys.tsx'
import { Totp } from './totp.tsx'
import { PageSection } from '../../design/page-section.tsx'

export function AccountSection() {
  return (
    <>
      <Profile />
      <Password />
      <Passkeys />
      <Totp />
      <Sessions />
    </>
  )
}

function Profile() {
  const { t, language } = useTexts()
  const { administrator } = useSession()
  const [theme, chooseTheme] = useTheme()
  const client = useQueryClient()
  const action = useAction(['name'])
  const put = (change: Partial<Session['administrator']>): void =>
    action.run(() => manage('PUT', '/admin/me', change), {
      onDone: () => {
        client.setQueryData(
          sessionQuery.queryKey,
          (before) =>
            before && { ...before, administrator: { ...before.administrator, ...change } },
        )
        notify(t('settings.saved'))
      },
    })
  return (
    <PageSection title={t('settings.account')} hint={administrator.email}>
      <div className={styles['form']}>
        <FormFields
          problem={action.problem}
          onSubmit={(form) => put({ name: readText(form, 'name') })}
        >
          <TextInput
            label={t('firstStart.name')}
            name="name"
            defaultValue={administrator.name}
            error={action.faultOf('name')}
            autoComplete="name"
          />
          <Choice
            label={t('settings.language')}
            options={Object.entries(LANGUAGES).map(([id, name]) => ({ id, name }))}
            value={language}
            onChange={(code) => put({ language: code })}
          />
          <Choice
            label={t('theme.title')}
            options={THEMES.map((id) => ({
              id,
              name: t(`theme.${id}`),
              icon: <Icon name={id} />,
            }))}
            value={theme}
            onChange={(id) => chooseTheme(id as ThemeChoice)}
          />
          <div>
            <Button type="submit" isPending={action.isBusy}>
              {t('action.save')}
            </Button>
          </div>
        </FormFields>
      </div>
    </PageSection>
  )
}

function Password() {
  const { t } = useTexts()
  const action = useAction(['currentPassword', 'password'])
  // A new key resets the fields.
  const [times, count] = useState(0)
  return (
    <PageSection title={t('signIn.password')}>
      <div className={styles['form']} key={times}>
        <FormFields
          problem={action.problem}
          onSubmit={(form) => {
            const body = {
              currentPassword: readUntrimmedText(form, 'currentPassword'),
              password: readUntrimmedText(form, 'password'),
            }
            action.run(() => manage('POST', '/admin/me/password', body), {
              says: t('settings.passwordChanged'),
              changes: ['own-sessions'],
              onDone: () => count(times + 1),
            })
          }}
        >
          <TextInput
            label={t('settings.currentPassword')}
            name="currentPassword"
            type="password"
            autoComplete="current-password"
            error={action.faultOf('currentPassword')}
          />
          <TextInput
            label={t('settings.newPassword')}
            name="password"
            type="password"
            autoComplete="new-password"
            error={action.faultOf('password')}
          />
          <div>
            <Button type="submit" isPending={action.isBusy}>
              {t('settings.changePassword')}
            </Button>
          </div>
        </FormFields>
      </div>
    </PageSection>
  )
}

function Sessions() {
  const { t, ago } = useTexts()
  const { data: sessions } = useSuspenseQuery(ownSessionsQuery)
  const action = useAction()
  const end = (id: string): void =>
    action.run(() => manage('DELETE', at('me/sessions', id)), { changes: ['own-sessions'] })
  return (
    <PageSection title={t('settings.sessions')} hint={t('settings.sessionsHint')}>
      <Rows label={t('settings.sessions')}>
        {sessions.map(({ id, userAgent, address, usedAt, current }) => (
          <Row
            key={id}
            title={browserOf(userAgent)}
            note={`${address} · ${current ? t('settings.thisSession') : ago(usedAt)}`}
          >
            {!current && (
              <Button small onPress={() => end(id)}>
                {t('settings.endSession')}
              </Button>
            )}
          </Row>
        ))}
      </Rows>
    </PageSection>
  )
}
