import { useTexts } from '../texts/texts.ts'
import styles from './kbd.module.css'

const isApple = /Mac|iP(hone|ad)/.test(navigator.platform)

/** Keys as this keyboard names them: `mod+alt+P` is ⌘⌥P or Ctrl Alt P. */
export function Kbd({ keys }: { readonly keys: string }) {
  const { t } = useTexts()
  const names = isApple ? { mod: '⌘', alt: '⌥' } : { mod: `${t('key.ctrl')} `, alt: 'Alt ' }
  const shown = keys.replace('mod+', names.mod).replace('alt+', names.alt)
  return <kbd className={styles['kbd']}>{shown}</kbd>
}
