import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { ApiError } from '../api/request.ts'
import { Button } from '../design/button.tsx'
import { NotLoaded } from '../design/load-part.tsx'
import { NotLoadedNotice } from '../design/not-loaded.tsx'
import { Notice } from '../design/notice.tsx'
import { useTexts } from '../texts/texts.ts'

/** Instead of a screen that could not be shown. */
export function Failure({ error, reset }: ErrorComponentProps) {
  const { t } = useTexts()
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const status = error instanceof ApiError ? error.status : null
  if (status === 403) {
    return <Notice title={t('error.forbidden')}>{t('error.forbidden.hint')}</Notice>
  }
  if (status === 404) return <Missing />
  if (error instanceof NotLoaded) return <NotLoadedNotice />
  const again = (): void => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  const action = <Button onPress={again}>{t('action.retry')}</Button>
  return (
    <Notice title={t(status === 0 ? 'error.network' : 'error.title')} action={action}>
      {status !== 0 && error instanceof Error ? error.message : null}
    </Notice>
  )
}

export function Missing() {
  const { t } = useTexts()
  return <Notice title={t('error.missing')}>{t('error.missing.hint')}</Notice>
}
