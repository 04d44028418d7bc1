import { useEffect, useRef } from 'react'
import type { EntryActions } from './use-entry-actions.ts'
import type { Preview } from './use-preview.ts'

/** Ctrl/⌘-S saves, Ctrl/⌘-Enter publishes, Ctrl/⌘-Alt-P toggles the preview. Ignored in dialogs. */
export function useEntryKeys(actions: EntryActions, preview: Preview | null): void {
  const current = useRef({ actions, preview })
  current.current = { actions, preview }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.target instanceof Element && event.target.closest('[role=dialog]') !== null) return
      // There, Enter sends the comment.
      if (event.key === 'Enter' && isInComment(event.target)) return
      const act = actOf(event, current.current.actions, current.current.preview)
      if (act === undefined) return
      event.preventDefault()
      event.stopPropagation()
      void act()
    }
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [])
}

function isInComment(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-comments]') !== null
}

function actOf(
  event: KeyboardEvent,
  actions: EntryActions,
  preview: Preview | null,
): (() => void | Promise<void>) | undefined {
  if (!(event.metaKey || event.ctrlKey) || event.shiftKey) return undefined
  // By key code, because Alt can change the letter.
  if (event.altKey) return event.code === 'KeyP' ? preview?.toggle : undefined
  return { s: actions.save, Enter: actions.publish }[event.key]
}
