import { Component, type ReactNode, useState } from 'react'
import { useTexts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import { NotLoaded } from './load-part.tsx'
import styles from './not-loaded.module.css'
import { Notice } from './notice.tsx'
import { notifyFailure } from './toasts.tsx'

/**
 * Instead of a part that could not be loaded. A browser asks for such a file once only, and another version
 * has others: the whole page is loaded again, but never while the server cannot be reached. Within a form it
 * takes no more room than it needs.
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

/** Keeps what surrounds a part on the screen when the part cannot be loaded. */
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
