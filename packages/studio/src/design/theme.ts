import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { request } from '../api/request.ts'
import { type Session, sessionQuery, type Theme, useSession } from '../api/session.ts'

/** `system` follows the colour scheme of the device. */
export const THEMES = ['system', 'light', 'dark'] as const

export type ThemeChoice = (typeof THEMES)[number]

const STORAGE_KEY = 'quire.theme'

/** Shows the theme that the browser remembers, until the session is loaded. */
export function applyRememberedTheme(): void {
  const remembered = localStorage.getItem(STORAGE_KEY)
  if (remembered === 'light' || remembered === 'dark') applyTheme(remembered)
}

/** Shows the theme of the person who is signed in. The sign-in page keeps it. */
export function useAppliedTheme(): void {
  const { theme } = useSession().administrator
  useEffect(() => {
    applyTheme(theme)
    if (theme === null) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, theme)
  }, [theme])
}

export function useTheme(): readonly [chosen: ThemeChoice, choose: (choice: ThemeChoice) => void] {
  const client = useQueryClient()
  const { theme } = useSession().administrator
  const choose = (choice: ThemeChoice): void => {
    const next = choice === 'system' ? null : choice
    client.setQueryData<Session>(
      sessionQuery.queryKey,
      (before) => before && { ...before, administrator: { ...before.administrator, theme: next } },
    )
    void request('PUT', '/admin/me', { body: { theme: next } }).catch(() =>
      client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
    )
  }
  return [theme ?? 'system', choose]
}

/** All colours follow the colour scheme of the root, by `light-dark()`. */
function applyTheme(theme: Theme | null): void {
  document.documentElement.style.colorScheme = theme ?? ''
}
