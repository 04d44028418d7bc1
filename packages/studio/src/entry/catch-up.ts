import { MAX_RETRY_MS, MIN_RETRY_MS } from './autosave.ts'

export interface CatchUpOptions {
  /** Whether the form shows an older version than the announced one. */
  readonly isBehind: () => boolean
  /** Returns false if the read failed. */
  readonly refresh: () => Promise<boolean>
  readonly after: (milliseconds: number, act: () => void) => () => void
}

/**
 * Refreshes a form that is behind. Failed reads are repeated with growing delays. Returns a function
 * that stops them.
 */
export function catchUp({ isBehind, refresh, after }: CatchUpOptions): () => void {
  let isStopped = false
  let cancel = (): void => undefined
  const attempt = async (delay: number): Promise<void> => {
    if (!isBehind() || (await refresh()) || isStopped) return
    cancel = after(delay, () => void attempt(Math.min(delay * 2, MAX_RETRY_MS)))
  }
  void attempt(MIN_RETRY_MS)
  return () => {
    isStopped = true
    cancel()
  }
}
