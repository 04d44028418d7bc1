import { useEffect, useState } from 'react'
import { announcePresence, type Presence } from '../../api/entry-facts.ts'

const PRESENCE_INTERVAL_MS = 20_000

/** The other users who have the entry open. Announces this user while the window is visible. */
export function usePresence(
  uid: string,
  documentId: string | null,
  locale: string | null,
): readonly Presence[] {
  const [others, setOthers] = useState<readonly Presence[]>([])
  useEffect(() => {
    if (documentId === null) return
    const abort = new AbortController()
    const beat = (): void => {
      if (document.hidden) return
      announcePresence({ uid, documentId, locale }, abort.signal).then(setOthers, () => undefined)
    }
    beat()
    const timer = setInterval(beat, PRESENCE_INTERVAL_MS)
    document.addEventListener('visibilitychange', beat)
    return () => {
      abort.abort()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', beat)
    }
  }, [uid, documentId, locale])
  return others
}
