import {
  Button as AriaButton,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components'
import { useTexts } from '../texts/texts.ts'
import { Icon } from './icon.tsx'
import styles from './toasts.module.css'

interface Notice {
  readonly text: string
  readonly tone: 'plain' | 'danger'
  /** Takes back what was done. */
  readonly undo?: (() => void) | undefined
}

const queue = new ToastQueue<Notice>({ maxVisibleToasts: 3 })

const SHOWN_MS = 6_000

/** Says that something was done; with `undo` it can be taken back for as long as it stands there. */
export function notify(text: string, undo?: () => void): void {
  queue.add({ text, tone: 'plain', undo }, { timeout: SHOWN_MS })
}

/** Says that something failed; stays until it is closed. */
export function notifyFailure(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  queue.add({ text, tone: 'danger' })
}

export function Toasts() {
  const { t } = useTexts()
  return (
    <ToastRegion queue={queue} className={styles['region'] ?? ''}>
      {({ toast }) => (
        <Toast toast={toast} className={`${styles['toast']} ${styles[toast.content.tone]}`}>
          <ToastContent className={styles['content'] ?? ''}>
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {toast.content.undo !== undefined && (
            <AriaButton
              className={styles['undo'] ?? ''}
              onPress={() => {
                toast.content.undo?.()
                queue.close(toast.key)
              }}
            >
              {t('action.undo')}
            </AriaButton>
          )}
          <AriaButton slot="close" aria-label={t('action.close')} className={styles['close'] ?? ''}>
            <Icon name="close" size={14} />
          </AriaButton>
        </Toast>
      )}
    </ToastRegion>
  )
}
