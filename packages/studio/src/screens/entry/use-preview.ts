import { useCallback, useState } from 'react'
import { flushSync } from 'react-dom'

export interface Preview {
  readonly isOpen: boolean
  readonly toggle: () => void
  /** Closes the preview if it covers the form, as on a phone. */
  readonly showForm: () => void
}

/** Stored per browser, because it depends on the screen size. */
const STORAGE_KEY = 'quire preview'
/** The width at which the style sheet of the form hides it. */
const COVERED = '(max-width: 860px)'

export function usePreview(hasPreview: boolean): Preview | null {
  const [isOpen, open] = useState(() => localStorage.getItem(STORAGE_KEY) === 'open')
  const set = useCallback((isNowOpen: boolean): void => {
    localStorage.setItem(STORAGE_KEY, isNowOpen ? 'open' : 'closed')
    open(isNowOpen)
  }, [])
  const showForm = useCallback(() => {
    // The caller moves the focus into the form.
    if (matchMedia(COVERED).matches) flushSync(() => set(false))
  }, [set])
  return hasPreview ? { isOpen, toggle: () => set(!isOpen), showForm } : null
}
