import { Dialog } from '../design/dialog.tsx'
import { Kbd } from '../design/kbd.tsx'
import type { TextKey } from '../texts/english.ts'
import { useTexts } from '../texts/texts.ts'
import styles from './keyboard-help.module.css'

const KEYS: readonly (readonly [keys: string, what: TextKey])[] = [
  ['mod+K', 'keys.palette'],
  ['mod+Z', 'keys.undo'],
  ['F6', 'keys.notices'],
  ['?', 'keys.help'],
]

export function KeyboardHelp({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
}) {
  const { t } = useTexts()
  return (
    <Dialog title={t('keys.title')} isOpen={isOpen} onClose={onClose}>
      <dl className={styles['keys']}>
        {KEYS.map(([keys, what]) => (
          <div key={keys} className={styles['row']}>
            <dt>{t(what)}</dt>
            <dd>
              <Kbd keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
