import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { canUsePasskeys } from '../api/passkeys.ts'
import { sessionQuery, startQuery, useSession } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { AddPasskeyDialog } from '../screens/settings/passkeys.tsx'
import { TotpSetup } from '../screens/settings/totp-setup.tsx'
import { useTexts } from '../texts/texts.ts'
import { Gate } from './gate.tsx'
import styles from './sign-in.module.css'
import { useSignOut } from './use-sign-out.ts'

/** For administrators without a second factor on servers that require one. */
export function SecondFactorScreen() {
  const { t } = useTexts()
  const client = useQueryClient()
  const signOut = useSignOut()
  const { administrator, lacksSecondFactor } = useSession()
  const { data: start } = useQuery(startQuery)
  const [open, setOpen] = useState<'app' | 'passkey' | null>(null)
  if (!lacksSecondFactor) return <Navigate to="/" replace />
  const close = (): void => {
    setOpen(null)
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey })
  }
  const hasPasskeys = start?.passkeys === true && canUsePasskeys()
  const canSetUp = administrator.hasPassword || hasPasskeys
  return (
    <Gate
      title={t('secondFactor.title')}
      hint={t(canSetUp ? 'secondFactor.hint' : 'secondFactor.none')}
    >
      <div className={styles['form']}>
        {administrator.hasPassword && (
          <Button look="primary" autoFocus onPress={() => setOpen('app')}>
            {t('totp.setUp')}
          </Button>
        )}
        {hasPasskeys && <Button onPress={() => setOpen('passkey')}>{t('passkey.add')}</Button>}
        <Button look="quiet" onPress={() => void signOut()}>
          {t('signOut')}
        </Button>
      </div>
      {open === 'app' && <TotpSetup onClose={close} />}
      {open === 'passkey' && <AddPasskeyDialog onClose={close} />}
    </Gate>
  )
}
