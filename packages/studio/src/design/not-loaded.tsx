import { Component, type ReactNode, useState } from 'react'
import { useTexts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import { NotLoaded } from './load-part.tsx'
import styles from './not-loaded.module.css'
import { Notice } from './notice.tsx'
import { notifyFailure } from './toasts.tsx'

/**
 * Replaces a part that could not be loaded. A retry reloads the page, because browsers cache a
 * failed import and a new version has other file names. It never reloads while the server is
 * unreachable. `isWithin` renders it compactly, for use in a form.
 */
export function NotLoadedNotice({ isWithin = false }: { readonly isWithin?: boolean }) {
  const { t } = useTexts()
  const [isBusy, busy] = useState(false)
  const again = async (): Promise<void> => {
    busy(true)
    try {
      await fetch(location.href, { method: 'HEAD', cache: 'no-store' })
      location.reload()
    } catch {
      notifyFailure(t('error.network'))
      busy(false)
    }
  }
  return (
    <div role="alert" className={isWithin ? styles['within'] : ''}>
      <Notice
        title={t('error.notLoaded')}
        action={
          <Button isPending={isBusy} onPress={() => void again()}>
            {t('action.loadAgain')}
          </Button>
        }
      >
        {t('error.notLoaded.hint')}
      </Notice>
    </div>
  )
}

/** Keeps the surroundings of a part visible when the part cannot be loaded. */
export class LoadBoundary extends Component<
  { readonly children: ReactNode },
  { readonly error: Error | null }
> {
  static getDerivedStateFromError(error: Error): { readonly error: Error | null } {
    return { error }
  }

  override state: { readonly error: Error | null } = { error: null }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    if (!(error instanceof NotLoaded)) throw error
    return <NotLoadedNotice isWithin />
  }
}
