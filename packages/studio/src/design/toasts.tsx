import {
  Button as AriaButton,
  type QueuedToast,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components'
import { useTexts } from '../texts/texts.ts'
import { Icon } from './icons/icon.tsx'
import { Kbd, keyNames } from './kbd.tsx'
import styles from './toasts.module.css'

interface Notice {
  readonly text: string
  readonly tone: 'plain' | 'danger'
  readonly undo?: Undo | undefined
}

export type Undo = () => unknown

export type Notify = typeof notify

const queue = new ToastQueue<Notice>({ maxVisibleToasts: 3 })

const NOTICE_MS = 6_000
const UNDO_NOTICE_MS = 10_000

/**
 * Shows a notice. While it is visible, `undo` can be run by its button or by Ctrl/⌘-Z. The timer
 * pauses while the pointer or the focus is on it. Returns a function that removes the notice.
 */
export function notify(text: string, undo?: Undo): () => void {
  const timeout = undo === undefined ? NOTICE_MS : UNDO_NOTICE_MS
  const key = queue.add({ text, tone: 'plain', undo }, { timeout })
  return () => queue.close(key)
}

export function notifyFailure(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  queue.add({ text, tone: 'danger' })
}

/** Runs the latest undo. Returns false if there is none. */
export function undoLatest(): boolean {
  const latest = queue.visibleToasts.find(({ content }) => content.undo !== undefined)
  if (latest !== undefined) takeBack(latest)
  return latest !== undefined
}

function takeBack({ key, content }: QueuedToast<Notice>): void {
  queue.close(key)
  const work = async (): Promise<unknown> => await content.undo?.()
  work().catch(notifyFailure)
}

export function Toasts() {
  const { t } = useTexts()
  return (
    <ToastRegion queue={queue} className={styles['region'] ?? ''}>
      {({ toast }) => (
        <Toast toast={toast} className={`${styles['toast']} ${styles[toast.content.tone] ?? ''}`}>
          <ToastContent className={styles['content'] ?? ''}>
            <Text slot="title">{toast.content.text}</Text>
            {toast.content.undo !== undefined && (
              <Text slot="description" className={styles['unseen'] ?? ''}>
                {t('action.undoHint', { keys: keyNames('mod+Z', t) })}
              </Text>
            )}
          </ToastContent>
          {toast.content.undo !== undefined && (
            <AriaButton
              className={styles['undo'] ?? ''}
              aria-keyshortcuts="Control+Z Meta+Z"
              onPress={() => takeBack(toast)}
            >
              {t('action.undo')}
              <span aria-hidden="true" className={styles['keys']}>
                <Kbd keys="mod+Z" />
              </span>
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
