const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const RETRIES: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

const MAX_DELAY_MS = 24 * HOUR

/** Maximum random addition, so that deliveries that failed together are not retried together. */
const JITTER = 0.2

export interface Failure {
  readonly attempts: number
  /** Null without a `Retry-After` header. */
  readonly retryAfterMs: number | null
}

export function delayAfter(
  { attempts, retryAfterMs }: Failure,
  random: () => number = Math.random,
): number | null {
  const delay = RETRIES[attempts - 1]
  if (delay === undefined) return null
  const asked = Math.min(retryAfterMs ?? 0, MAX_DELAY_MS)
  return Math.max(delay, asked) * (1 + JITTER * random())
}

/** Returns `Retry-After` (seconds or a date) in milliseconds; null if it is invalid. RFC 9110, section 10.2.3. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}
