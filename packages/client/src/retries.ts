const MAX_WAIT_MS = 30_000

/** The delay of `Retry-After`, otherwise exponential backoff with jitter. */
export function computeRetryDelay(answer: Response | null, tries: number): number {
  const asked = Number(answer?.headers.get('Retry-After') ?? Number.NaN)
  const usual = 250 * 2 ** tries * (1 + Math.random())
  return Math.min(Number.isNaN(asked) ? usual : asked * 1_000, MAX_WAIT_MS)
}

/** @throws the abort reason of the signal */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal?.aborted === true) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}
