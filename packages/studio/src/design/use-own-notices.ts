import { useCallback, useEffect, useState } from 'react'
import { type Notify, notify } from './toasts.tsx'

/**
 * `notify` for actions that only this component can undo: its notices disappear when it unmounts.
 */
export function useOwnNotices(): Notify {
  const [closers] = useState(() => new Set<() => void>())
  useEffect(
    () => () => {
      for (const close of closers) close()
    },
    [closers],
  )
  return useCallback(
    (text, undo) => {
      const close = notify(text, undo)
      closers.add(close)
      return close
    },
    [closers],
  )
}
