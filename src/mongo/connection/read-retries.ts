import { createRequire } from 'node:module'
import { isPlanKilled } from './database-error.ts'

/** What the driver decides retries by, and does not export. */
const driver = createRequire(import.meta.url)('mongodb/lib/error.js') as {
  isRetryableReadError: (this: void, error: unknown) => boolean
}

let isPatched = false

/**
 * Lets the driver (7.8) retry a read once after QueryPlanKilled (175), as after a lost connection: `find`, `aggregate`,
 * `count`, `distinct` and the like, outside of transactions. A later batch of a cursor is never retried.
 * https://www.mongodb.com/docs/manual/reference/error-codes/
 */
export function patchReadRetries(): void {
  if (isPatched) return
  isPatched = true
  const isRetried = driver.isRetryableReadError
  driver.isRetryableReadError = (error) => isPlanKilled(error) || isRetried(error)
}
