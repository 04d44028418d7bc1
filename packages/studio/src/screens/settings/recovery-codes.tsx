import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './recovery-codes.module.css'

export interface RecoveryCodesProps {
  readonly codes: readonly string[]
  readonly onClose: () => void
}

/** Closes by its button only, because the codes cannot be shown again. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesProps) {
  const { t } = useTexts()
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => {
    void navigator.clipboard.writeText(codes.join('\n')).then(() => setCopied(true))
  }
  return (
    <Dialog
      title={t('totp.recoveryCodes')}
      isOpen
      isAlert
      onClose={onClose}
      actions={
        <>
          <Button onPress={copy}>{t(isCopied ? 'action.copied' : 'action.copy')}</Button>
          <Button look="primary" onPress={onClose}>
            {t('totp.done')}
          </Button>
        </>
      }
    >
      <p>{t('totp.recoveryHint')}</p>
      <ul className={styles['codes']} aria-label={t('totp.recoveryCodes')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </Dialog>
  )
}
