import type { Database } from '../../mongo/connection/database.ts'
import { putLastUsed } from './api-token-rows.ts'

const NOTE_USE_INTERVAL_MS = 60_000

interface UsedToken {
  readonly principal: { readonly id: number }
  readonly lastUsedAt: Date | null
}

/** Writes in the background, at most once a minute per token. */
export function noteUses(db: Database, now: () => Date, onError: (error: unknown) => void) {
  const notedAt = new Map<number, number>()
  const writing = new Set<Promise<void>>()
  return {
    note: ({ principal: { id }, lastUsedAt }: UsedToken): void => {
      const at = now()
      const last = notedAt.get(id) ?? lastUsedAt?.getTime() ?? -Infinity
      if (at.getTime() - last < NOTE_USE_INTERVAL_MS) return
      notedAt.set(id, at.getTime())
      const notBefore = new Date(at.getTime() - NOTE_USE_INTERVAL_MS)
      const write = putLastUsed(db, id, at, notBefore)
        .catch(onError)
        .finally(() => writing.delete(write))
      writing.add(write)
    },
    settled: async (): Promise<void> => {
      await Promise.all(writing)
    },
  }
}
