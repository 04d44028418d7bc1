import { useEffect, useRef } from 'react'
import type { EntryActions } from './use-entry-actions.ts'

/** Ctrl/⌘-S saves, Ctrl/⌘-Enter publishes: wherever the cursor is, but in a dialog. */
export function useEntryKeys(actions: EntryActions): void {
  const current = useRef(actions)
  current.current = actions
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      if (event.target instanceof Element && event.target.closest('[role=dialog]') !== null) return
      const act = { s: current.current.save, Enter: current.current.publish }[event.key]
      if (act === undefined) return
      event.preventDefault()
      event.stopPropagation()
      void act()
    }
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [])
}
