import { useCallback, useEffect, useState } from 'react'
import { type Notify, notify } from './toasts.tsx'

/** `notify` for what can be undone here alone: the notice goes with the component. */
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
