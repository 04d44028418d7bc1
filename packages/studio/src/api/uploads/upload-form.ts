import type { FileEntry } from '../file-entry.ts'
import { LostError, sendWatched, StalledError } from './send-watched.ts'
import type { UploadWay, WayOptions } from './upload-way.ts'

/** The server resizes a picture before it responds. */
const RESPONSE_MS = 60_000
const MAX_RETRIES = 3

export function byForm(options: WayOptions): UploadWay {
  return {
    send: (onShare) => sendForm(options, onShare),
    maxRetries: (error) =>
      error instanceof LostError || error instanceof StalledError ? MAX_RETRIES : 0,
    giveUp: () => undefined,
  }
}

export async function sendForm(
  { file, key, folder, isPrivate, signal }: WayOptions,
  onShare: (share: number) => void,
): Promise<FileEntry> {
  const form = new FormData()
  if (folder !== null) form.append('folder', folder)
  if (isPrivate) form.append('fileInfo', JSON.stringify({ private: true }))
  form.append('files', file, file.name)
  const stored = await sendWatched({
    method: 'POST',
    path: '/admin/files',
    headers: { 'Idempotency-Key': key },
    body: form,
    signal,
    onSent: (sent, total) => onShare(sent / total),
    responseMs: RESPONSE_MS,
  })
  const [first] = stored as readonly [FileEntry]
  return first
}
