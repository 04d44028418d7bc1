export interface ShownUpload {
  readonly id: number
  readonly name: string
  /** From 0 to 1. */
  readonly share: number
  /** Whether the upload waits for its first turn. */
  readonly isQueued: boolean
  /** Whether the upload waits for its connection. */
  readonly isInterrupted: boolean
  readonly failure: string | null
}

export function queuedUpload(id: number, name: string): ShownUpload {
  return { id, name, share: 0, isQueued: true, isInterrupted: false, failure: null }
}
