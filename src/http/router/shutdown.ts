/** Pending long polls and streams end, so that their clients reconnect to another process. */
export interface Shutdown {
  hasBegun(): boolean
  onBegin(listener: () => void): () => void
  begin(): void
}

export function openShutdown(): Shutdown {
  const listeners = new Set<() => void>()
  let hasBegun = false
  return {
    hasBegun: () => hasBegun,
    onBegin: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    begin: () => {
      hasBegun = true
      for (const listener of listeners) listener()
    },
  }
}
