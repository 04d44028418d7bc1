import { useEffect } from 'react'

export interface Shortcuts {
  readonly onPalette: () => void
  readonly onHelp: () => void
}

/** Whether the focus is in a text: then a plain key is a letter. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select, [role=textbox]'))
  )
}

/** Ctrl/⌘-K everywhere, `?` where nobody types. */
export function useShortcuts({ onPalette, onHelp }: Shortcuts): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey) {
        event.preventDefault()
        onPalette()
      } else if (event.key === '?' && !isTyping(event.target)) {
        event.preventDefault()
        onHelp()
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}
