import { createRequire } from 'node:module'

const driver = createRequire(import.meta.url)('mongodb/lib/error.js') as {
  isRetryableReadError: (this: void, error: unknown) => boolean
}

let isPatched = false

/**
 * Driver 7.8: retries a read outside of transactions once after QueryPlanKilled (175). Later batches of a cursor are
 * never retried. https://www.mongodb.com/docs/manual/reference/error-codes/
 */
export function patchReadRetries(isPlanKilled: (error: unknown) => boolean): void {
  if (isPatched) return
  isPatched = true
  const isRetried = driver.isRetryableReadError
  driver.isRetryableReadError = (error) => isPlanKilled(error) || isRetried(error)
}
