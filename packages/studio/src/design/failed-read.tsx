import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

export interface FailedReadProps {
  readonly error: Error
  readonly onRetry: () => void
  /** Further buttons. */
  readonly children?: ReactNode
}

export function FailedRead({ error, onRetry, children }: FailedReadProps) {
  const { t } = useTexts()
  const actions = (
    <>
      <Button onPress={onRetry}>{t('action.retry')}</Button>
      {children}
    </>
  )
  return (
    <Notice title={t('error.title')} action={actions}>
      {error.message}
    </Notice>
  )
}
