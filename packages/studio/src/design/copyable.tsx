import { useState } from 'react'
import { useTexts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import styles from './copyable.module.css'

export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  const { t } = useTexts()
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(() => setCopied(true))
  }
  return (
    <div className={styles['copyable']}>
      <input
        readOnly
        aria-label={label}
        value={text}
        className={styles['text']}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button onPress={copy}>{t(isCopied ? 'action.copied' : 'action.copy')}</Button>
    </div>
  )
}
