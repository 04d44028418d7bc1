import styles from './kbd.module.css'

const isApple = /Mac|iP(hone|ad)/.test(navigator.platform)

/** Keys as this keyboard names them; `mod` is ⌘ or Ctrl. */
export function Kbd({ keys }: { readonly keys: string }) {
  const shown = keys.replace('mod+', isApple ? '⌘' : 'Ctrl ')
  return <kbd className={styles['kbd']}>{shown}</kbd>
}
