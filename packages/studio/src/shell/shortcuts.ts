import { useEffect } from 'react'
import { undoLatest } from '../design/toasts.tsx'
import { isTyping } from '../design/typing.ts'

export interface Shortcuts {
  readonly onPalette: () => void
  readonly onHelp: () => void
}

/**
 * Ctrl/⌘-K works everywhere. `?`, and Ctrl/⌘-Z for the undo of a notice, work outside of text
 * fields.
 */
export function useShortcuts({ onPalette, onHelp }: Shortcuts): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return // handled by an editor
      if (isPalette(event)) {
        event.preventDefault()
        onPalette()
      } else if (isUndo(event) && !isTyping(event)) {
        if (undoLatest()) event.preventDefault()
      } else if (event.key === '?' && !isTyping(event)) {
        event.preventDefault()
        onHelp()
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

function isPalette({ key, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (metaKey || ctrlKey) && !altKey
}

function isUndo({ key, metaKey, ctrlKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'z' && (metaKey || ctrlKey) && !shiftKey && !altKey
}
