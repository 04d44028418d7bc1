/** Extends `TypeError`, like the errors of `fetch` without a network. */
export class TimeoutError extends TypeError {
  override readonly name = 'TimeoutError'
}

/**
 * @param ms null: no timeout
 * @throws TimeoutError after `ms` milliseconds; the reason of `signal` if it aborts first
 */
export async function withTimeout<T>(
  ms: number | null,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (ms === null) return work(signal)
  const ended = new AbortController()
  const onAbort = (): void => ended.abort(signal?.reason)
  if (signal?.aborted === true) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => {
    ended.abort(new TimeoutError(`No response within ${ms} ms`))
  }, ms)
  try {
    return await Promise.race([work(ended.signal), rejection(ended.signal)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Not every `fetch` rejects with the reason of its signal. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal.reason as Error)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
