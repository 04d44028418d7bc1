/** When the server stops: who waits for something that comes later is to be sent away, to another process. */
export interface Departure {
  hasBegun(): boolean
  /** Returns the function that removes the listener. */
  onBegin(listener: () => void): () => void
  begin(): void
}

export function openDeparture(): Departure {
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
