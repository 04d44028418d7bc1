import type { FileEntry } from '../file-entry.ts'

export interface WayOptions {
  readonly file: File
  /** The `Idempotency-Key`: a retry of the upload stores the file once. */
  readonly key: string
  readonly folder: string | null
  readonly isPrivate: boolean
  readonly signal: AbortSignal
}

/** Sends a file in several attempts. */
export interface UploadWay {
  /** @throws QuireError, LostError, StalledError, the reason of the signal */
  send(onShare: (share: number) => void): Promise<FileEntry>
  maxRetries(error: unknown): number
  /** Deletes the bytes that the server has. */
  giveUp(): void
}
