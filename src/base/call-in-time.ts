/**
 * Calls without an answer do not block the caller: they end with the deadline, which aborts the signal, as the signal of
 * the caller does.
 */
export function callInTime<T>(
  call: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  caller?: AbortSignal,
): Promise<T> {
  const aborter = new AbortController()
  return new Promise((resolve, reject) => {
    const end = (reason: Error): void => {
      aborter.abort(reason)
      reject(reason)
    }
    const timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    const leave = (): void => end(new Error('the caller has left'))
    if (caller?.aborted === true) leave()
    caller?.addEventListener('abort', leave, { once: true })
    // In a chain, because a provider in JavaScript may throw at once.
    const settled = Promise.resolve()
      .then(() => {
        aborter.signal.throwIfAborted()
        return call(aborter.signal)
      })
      .finally(() => {
        clearTimeout(timer)
        caller?.removeEventListener('abort', leave)
      })
    settled.then(resolve, reject)
  })
}
