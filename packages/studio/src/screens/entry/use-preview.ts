import { useState } from 'react'

/** Whether the site is shown beside the form. */
export interface Preview {
  readonly isOpen: boolean
  readonly toggle: () => void
}

/** Kept in this browser: it is a matter of the screen that one sits at. */
const KEY = 'quire preview'

/** Null where no site shows such entries. */
export function usePreview(hasPreview: boolean): Preview | null {
  const [isOpen, open] = useState(() => localStorage.getItem(KEY) === 'open')
  if (!hasPreview) return null
  const toggle = (): void => {
    localStorage.setItem(KEY, isOpen ? 'closed' : 'open')
    open(!isOpen)
  }
  return { isOpen, toggle }
}
