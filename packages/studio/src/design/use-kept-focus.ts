import { type RefObject, useEffect } from 'react'

/**
 * Focuses the first element that matches `next` when the focused element within `box` is removed.
 */
export function useKeptFocus(box: RefObject<HTMLElement | null>, next: string): void {
  useEffect(() => {
    const within = box.current
    if (within === null) return
    let held: Element | null = null
    const onFocus = ({ target }: FocusEvent): void => {
      held = target instanceof Element && within.contains(target) ? target : null
    }
    const observer = new MutationObserver(() => {
      if (held === null || held.isConnected || document.activeElement !== document.body) return
      held = null
      within.querySelector<HTMLElement>(next)?.focus()
    })
    document.addEventListener('focusin', onFocus)
    observer.observe(within, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', onFocus)
      observer.disconnect()
    }
  }, [box, next])
}
