import { createRequire } from 'node:module'

/** Internal of the driver: decides which reads are retried. */
const driver = createRequire(import.meta.url)('mongodb/lib/error.js') as {
  isRetryableReadError: (this: void, error: unknown) => boolean
}

let isPatched = false

/**
 * Patches the driver (7.8) to retry a read once after QueryPlanKilled (175), as after a lost connection. Applies
 * to `find`, `aggregate`, `count` and `distinct` outside of transactions. Later batches of a cursor are never
 * retried.
 * https://www.mongodb.com/docs/manual/reference/error-codes/
 */
export function patchReadRetries(isPlanKilled: (error: unknown) => boolean): void {
  if (isPatched) return
  isPatched = true
  const isRetried = driver.isRetryableReadError
  driver.isRetryableReadError = (error) => isPlanKilled(error) || isRetried(error)
}
