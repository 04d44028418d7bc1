/** The client that waits for a response. */
export interface Caller {
  hasLeft(): boolean
  /** Returns a function that removes the listener. */
  onLeave(listener: () => void): () => void
}
