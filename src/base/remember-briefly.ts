interface Remembered<T> {
  readonly value: Promise<T>
  readonly until: number
}

interface RememberOptions {
  /** Counts from the start of a read. */
  readonly forMs: number
  /** More keys drop the oldest. */
  readonly maxKeys: number
  /** Monotonic. */
  readonly nowMs?: () => number
}

/** Reads a key at most once in `forMs`. Concurrent calls share the read. A failure is read again. */
export function rememberBriefly<T>(
  read: (key: string) => Promise<T>,
  { forMs, maxKeys, nowMs = () => performance.now() }: RememberOptions,
): (key: string) => Promise<T> {
  const known = new Map<string, Remembered<T>>()
  return (key) => {
    const before = known.get(key)
    if (before !== undefined && nowMs() < before.until) return before.value
    known.delete(key)
    const [oldest] = known.keys()
    if (oldest !== undefined && known.size >= maxKeys) known.delete(oldest)
    const own: Remembered<T> = { value: read(key), until: nowMs() + forMs }
    known.set(key, own)
    own.value.catch(() => {
      if (known.get(key) === own) known.delete(key)
    })
    return own.value
  }
}
