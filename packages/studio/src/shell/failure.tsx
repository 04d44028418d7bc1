import { useEffect, useRef } from 'react'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { ApiError } from '../api/request.ts'
import { Button } from '../design/button.tsx'
import { NotLoaded } from '../design/load-part.tsx'
import { Missing } from '../design/missing.tsx'
import { NotLoadedNotice } from '../design/not-loaded.tsx'
import { Notice } from '../design/notice.tsx'
import { Page } from '../design/page.tsx'
import { useTexts } from '../texts/texts.ts'

const RETRY_INTERVAL_MS = 5_000

/** Retries while the server is unreachable: at intervals, and when the browser is online again. */
function useRecovery(isUnreachable: boolean, again: () => void): void {
  const retry = useRef(again)
  retry.current = again
  useEffect(() => {
    if (!isUnreachable) return undefined
    const attempt = (): void => retry.current()
    const timer = setInterval(attempt, RETRY_INTERVAL_MS)
    window.addEventListener('online', attempt)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', attempt)
    }
  }, [isUnreachable])
}

export function Failure({ error, reset }: ErrorComponentProps) {
  const { t } = useTexts()
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const status = error instanceof ApiError ? error.status : null
  const again = (): void => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  useRecovery(status === 0, again)
  if (status === 403) {
    return (
      <Page title={t('error.forbidden')} narrow>
        <Notice>{t('error.forbidden.hint')}</Notice>
      </Page>
    )
  }
  if (status === 404) return <Missing />
  if (error instanceof NotLoaded) return <NotLoadedNotice />
  const action = <Button onPress={again}>{t('action.retry')}</Button>
  return (
    <Notice title={t(status === 0 ? 'error.network' : 'error.title')} action={action}>
      {status !== 0 && error instanceof Error ? error.message : null}
    </Notice>
  )
}

/** For pages outside of the frame, which have no landmarks. */
export function MissingPage() {
  return (
    <main id="content">
      <Missing />
    </main>
  )
}
