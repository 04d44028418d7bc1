import { useState } from 'react'
import { beginTotp, confirmTotp, type NewTotp } from '../../api/totp.ts'
import { Copyable } from '../../design/copyable.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { readText, readUntrimmedText } from '../../design/form-fields.tsx'
import { QrCode } from '../../design/qr-code.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import { RecoveryCodesDialog } from './recovery-codes.tsx'

/** Password, then the secret and a code that proves it, then the recovery codes. */
export function TotpSetup({ onClose }: { readonly onClose: () => void }) {
  const [begun, setBegun] = useState<NewTotp | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  if (codes !== null) return <RecoveryCodesDialog codes={codes} onClose={onClose} />
  if (begun === null) return <PasswordStep onBegun={setBegun} onClose={onClose} />
  return <CodeStep begun={begun} onConfirmed={setCodes} onClose={onClose} />
}

interface PasswordStepProps {
  readonly onBegun: (begun: NewTotp) => void
  readonly onClose: () => void
}

function PasswordStep({ onBegun, onClose }: PasswordStepProps) {
  const { t } = useTexts()
  const action = useAction(['currentPassword'])
  return (
    <FormDialog
      title={t('totp.setUp')}
      isOpen
      onClose={onClose}
      submit={t('totp.continue')}
      isBusy={action.isBusy}
      problem={action.problem}
      onSubmit={(form) =>
        action.run(() => beginTotp(readUntrimmedText(form, 'currentPassword')), {
          onDone: onBegun,
        })
      }
    >
      <TextInput
        label={t('settings.currentPassword')}
        name="currentPassword"
        type="password"
        autoComplete="current-password"
        isRequired
        autoFocus
        error={action.faultOf('currentPassword')}
      />
    </FormDialog>
  )
}

interface CodeStepProps {
  readonly begun: NewTotp
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void
  readonly onClose: () => void
}

function CodeStep({ begun, onConfirmed, onClose }: CodeStepProps) {
  const { t } = useTexts()
  const action = useAction(['code'])
  return (
    <FormDialog
      title={t('totp.setUp')}
      isOpen
      onClose={onClose}
      submit={t('totp.confirm')}
      isBusy={action.isBusy}
      problem={action.problem}
      onSubmit={(form) =>
        action.run(() => confirmTotp(readText(form, 'code')), {
          changes: ['totp', 'own-sessions', 'administrators'],
          onDone: onConfirmed,
        })
      }
    >
      <p>{t('totp.scan')}</p>
      <QrCode text={begun.uri} label={t('totp.qrCode')} />
      <Copyable text={begun.secret} label={t('totp.key')} />
      <TextInput
        label={t('signIn.code')}
        hint={t('totp.codeHint')}
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        isRequired
        autoFocus
        error={action.faultOf('code')}
      />
    </FormDialog>
  )
}
