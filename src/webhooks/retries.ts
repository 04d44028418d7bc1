const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long after an attempt that failed the next one follows: the first follows the event. */
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

/** The longest wait, whatever the receiver asks for. */
const LONGEST = 24 * HOUR

/** Jitter: the longest random addition, so that deliveries that failed together are not sent again together. */
const JITTER = 0.2

export interface Failure {
  /** How often it was sent by now. */
  readonly attempts: number
  /** What the receiver asks for with `Retry-After`; null where it does not. */
  readonly retryAfterMs: number | null
}

/** How long to wait before the next attempt; null where that was the last. */
export function delayAfter(
  { attempts, retryAfterMs }: Failure,
  random: () => number = Math.random,
): number | null {
  const delay = RETRIES[attempts - 1]
  if (delay === undefined) return null
  const asked = Math.min(retryAfterMs ?? 0, LONGEST)
  return Math.max(delay, asked) * (1 + JITTER * random())
}

/** `Retry-After` in milliseconds: seconds or a date; null for anything else. RFC 9110, 10.2.3. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}
