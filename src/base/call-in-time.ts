/** Calls without an answer do not block the caller: they end with the deadline, which aborts the signal. */
export function callInTime<T>(
  call: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
): Promise<T> {
  const aborter = new AbortController()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const late = new Error(`no answer within ${timeoutMs} ms`)
      aborter.abort(late)
      reject(late)
    }, timeoutMs)
    // In a chain, because a provider in JavaScript may throw at once.
    const settled = Promise.resolve()
      .then(() => call(aborter.signal))
      .finally(() => clearTimeout(timer))
    settled.then(resolve, reject)
  })
}
