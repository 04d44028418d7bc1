import { useState } from 'react'

export interface Preview {
  readonly isOpen: boolean
  readonly toggle: () => void
}

/** Stored per browser, because it depends on the screen size. */
const STORAGE_KEY = 'quire preview'

export function usePreview(hasPreview: boolean): Preview | null {
  const [isOpen, open] = useState(() => localStorage.getItem(STORAGE_KEY) === 'open')
  if (!hasPreview) return null
  const toggle = (): void => {
    localStorage.setItem(STORAGE_KEY, isOpen ? 'closed' : 'open')
    open(!isOpen)
  }
  return { isOpen, toggle }
}
