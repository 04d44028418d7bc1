const MAX_WAIT_MS = 30_000
const MAX_RETRY_AFTER_MS = 120_000

/**
 * Waits until the browser is online again, or for a time that grows with the failures and is at
 * least `retryAfterMs`.
 */
export function waitForNetwork(
  failures: number,
  signal: AbortSignal,
  retryAfterMs = 0,
): Promise<void> {
  const least = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)
  const growing = Math.min(1_000 * 2 ** failures, MAX_WAIT_MS) * (0.5 + Math.random() / 2)
  const usual = navigator.onLine ? growing : MAX_WAIT_MS // browsers may be wrong about it
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      window.removeEventListener('online', goOn)
      signal.removeEventListener('abort', stop)
    }
    const goOn = (): void => {
      end()
      resolve()
    }
    const stop = (): void => {
      end()
      reject(signal.reason as Error)
    }
    const timer = setTimeout(goOn, Math.max(usual, least))
    window.addEventListener('online', goOn)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
}
