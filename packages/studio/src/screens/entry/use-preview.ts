import { useState } from 'react'

export interface Preview {
  readonly isOpen: boolean
  readonly toggle: () => void
}

/** Stored per browser, because it depends on the screen size. */
const KEY = 'quire preview'

export function usePreview(hasPreview: boolean): Preview | null {
  const [isOpen, open] = useState(() => localStorage.getItem(KEY) === 'open')
  if (!hasPreview) return null
  const toggle = (): void => {
    localStorage.setItem(KEY, isOpen ? 'closed' : 'open')
    open(!isOpen)
  }
  return { isOpen, toggle }
}
