import { type Texts, useTexts } from '../texts/texts.ts'
import styles from './kbd.module.css'

const isApple = /Mac|iP(hone|ad)/.test(navigator.platform)

/** Formats keys for this platform: `mod+alt+P` is ⌘⌥P or Ctrl Alt P. */
export function keyNames(keys: string, t: Texts['t']): string {
  const names = isApple
    ? { mod: '⌘', alt: '⌥', shift: '⇧' }
    : { mod: `${t('key.ctrl')} `, alt: 'Alt ', shift: '⇧ ' }
  return keys.replace('mod+', names.mod).replace('alt+', names.alt).replace('shift+', names.shift)
}

export function Kbd({ keys }: { readonly keys: string }) {
  const { t } = useTexts()
  return <kbd className={styles['kbd']}>{keyNames(keys, t)}</kbd>
}
