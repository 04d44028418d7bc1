import { createHash } from 'node:crypto'
import type { Database } from '../../mongo/connection/database.ts'
import { ensureIndexes, increment } from '../../mongo/system/system-collections.ts'

export interface Allowance {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** In seconds since 1970. */
  readonly resetsAt: number
  /** In seconds. */
  readonly retryAfter: number
}

export interface RateLimits {
  count(route: string, key: string, limit: number): Promise<Allowance>
}

interface Counter {
  readonly _id: string
  readonly count: number
  readonly expiresAt: Date
}

const WINDOW_SECONDS = 60

const COLLECTION = 'quire_rate_limits'

export async function openRateLimits(db: Database, now: () => Date): Promise<RateLimits> {
  const counters = db.table<Counter>(COLLECTION)
  await ensureIndexes(counters, [{ key: { expiresAt: 1 }, name: 'expiresAt' }])
  let sweptIn = -1

  const sweep = async (window: number): Promise<void> => {
    if (sweptIn === window) return
    sweptIn = window
    await counters.deleteMany({ expiresAt: { $lte: now() } })
  }
  return {
    count: async (route, key, limit) => {
      const seconds = Math.floor(now().getTime() / 1_000)
      const window = Math.floor(seconds / WINDOW_SECONDS)
      const resetsAt = (window + 1) * WINDOW_SECONDS
      const digest = createHash('sha256').update(key, 'utf8').digest('hex')
      await sweep(window)
      const expiresAt = new Date(resetsAt * 1_000)
      const row = { _id: `${route}:${digest}:${window}`, count: 0, expiresAt }
      const count = await increment(counters, row, { field: 'count', by: 1 })
      const remaining = Math.max(0, limit - count)
      return { allowed: count <= limit, limit, remaining, resetsAt, retryAfter: resetsAt - seconds }
    },
  }
}
