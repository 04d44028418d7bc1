import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../api/session.ts'
import { removeTotp, renewRecoveryCodes, totpQuery } from '../../api/totp.ts'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Notice } from '../../design/notice.tsx'
import { PageSection } from '../../design/page-section.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { RecoveryCodesDialog } from './recovery-codes.tsx'
import { TotpSetup } from './totp-setup.tsx'

/** Hidden from administrators without a password, because only the password needs a second factor. */
export function Totp() {
  const { t } = useTexts()
  const { administrator } = useSession()
  const { data: totp } = useQuery(totpQuery)
  const [isSettingUp, setUp] = useState(false)
  if (totp === undefined || !(administrator.hasPassword || totp.enabled)) return null
  return (
    <PageSection
      title={t('totp.title')}
      hint={t('totp.hint')}
      action={!totp.enabled && <Button onPress={() => setUp(true)}>{t('totp.setUp')}</Button>}
    >
      {totp.enabled ? (
        <EnabledTotp recoveryCodesLeft={totp.recoveryCodesLeft} />
      ) : (
        <Notice title={t('totp.none')}>{t('totp.noneHint')}</Notice>
      )}
      {isSettingUp && <TotpSetup onClose={() => setUp(false)} />}
    </PageSection>
  )
}

function EnabledTotp({ recoveryCodesLeft }: { readonly recoveryCodesLeft: number }) {
  const { t } = useTexts()
  const action = useAction()
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const [isLeaving, setLeaving] = useState(false)
  const remove = (): void => {
    setLeaving(false)
    action.run(removeTotp, { changes: ['totp', 'administrators'], says: t('totp.removed') })
  }
  return (
    <>
      <Rows label={t('totp.title')}>
        <Row title={t('totp.app')} note={t('totp.left', { count: recoveryCodesLeft })}>
          <Button
            look="quiet"
            small
            onPress={() => action.run(renewRecoveryCodes, { changes: ['totp'], onDone: setCodes })}
          >
            {t('totp.renew')}
          </Button>
          <Button look="quiet" small onPress={() => setLeaving(true)}>
            {t('totp.remove')}
          </Button>
        </Row>
      </Rows>
      {codes !== null && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
      <ConfirmDialog
        title={t('totp.removeTitle')}
        isOpen={isLeaving}
        confirm={t('totp.remove')}
        onClose={() => setLeaving(false)}
        onConfirm={remove}
      >
        {t('totp.removeHint')}
      </ConfirmDialog>
    </>
  )
}
