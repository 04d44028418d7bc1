import type { Call } from '../call.ts'
import { appendFile, sendInParts } from '../files.ts'
import { QuireError } from '../quire-error.ts'
import {
  dropFile,
  type FileQueue,
  type FileState,
  isPending,
  putFile,
  queueKey,
  type QueuedFile,
} from '../sync/file-queue.ts'
import { type HeldCopy, lastRoundOf } from '../sync/held-copy.ts'
import { copyError, type FailureError } from '../sync/mutation.ts'
import type { Change, PartStorage } from '../sync/storage.ts'
import type { NativeFile } from './native-file.ts'
import type { SlicedFile } from './sliced-file.ts'
import { decodeBase64, MissingPart, openStoredParts } from './stored-parts.ts'

export interface UploadScope {
  readonly send: (call: Call) => Promise<unknown>
  readonly copy: HeldCopy
  readonly files: FileQueue
  readonly parts: PartStorage | undefined
  /** True if the store shows files, so that a stored one is shown until its row arrives. */
  readonly showsFiles: boolean
}

/**
 * Sends a file, and stores the result.
 * @throws QuireError if a retry may succeed, TypeError without a network, the error of the storage
 */
export async function uploadQueuedFile(
  scope: UploadScope,
  queued: QueuedFile,
  signal: AbortSignal,
): Promise<void> {
  const { copy, files, showsFiles } = scope
  const { documentId } = queued
  const settle = async (
    make: (file: QueuedFile, round: number) => readonly Change[],
  ): Promise<void> => {
    await copy.update(() => {
      const file = files.get(documentId)
      // Discarded, or settled by another tab.
      return file === undefined || !isPending(file) ? null : make(file, lastRoundOf(copy))
    })
  }
  try {
    const answer = await sendFile(scope, queued, signal)
    const [stored] = answer as readonly Readonly<Record<string, unknown>>[]
    await settle((file, round) => {
      if (!showsFiles || stored === undefined) return [dropFile(documentId)]
      const state = { kind: 'stored', round, file: stored } as const
      // The first change deletes the parts.
      return [dropFile(documentId), putFile({ ...file, content: null, state })]
    })
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === null) throw error
    const state: FileState = { kind: 'failed', error: refusal }
    await settle((file) => [putFile({ ...file, state })])
  }
}

/** @throws QuireError, TypeError without a network, MissingPart, the error of the storage */
async function sendFile(
  { send, parts }: UploadScope,
  queued: QueuedFile,
  signal: AbortSignal,
): Promise<unknown> {
  const { key, name, info } = queued
  const file = sendableOf(queued, parts)
  const sent = file && (await sendInParts({ send, file, name, info, key, signal }))
  if (sent !== null) return sent
  const body = new FormData()
  body.append('fileInfo', JSON.stringify({ ...info, name }))
  if (file !== null) appendFile(body, 'uri' in file ? file : await wholeOf(file), name)
  const headers = { 'Idempotency-Key': key }
  return send({ method: 'POST', path: 'upload', body, headers, signal })
}

/** A form needs all bytes at once. */
async function wholeOf(file: SlicedFile): Promise<Blob> {
  return file instanceof Blob ? file : file.slice(0, file.size)
}

/** @throws MissingPart */
function sendableOf(
  { documentId, mime, content }: QueuedFile,
  parts: PartStorage | undefined,
): SlicedFile | NativeFile | null {
  if (content === null) return null
  if ('native' in content) return content.native
  if ('blob' in content) return content.blob
  if ('base64' in content) return new Blob([decodeBase64(content.base64)], { type: mime })
  if (parts === undefined) throw new MissingPart()
  return openStoredParts(parts, queueKey(documentId), { size: content.bytesInParts, mime })
}

const FINAL: ReadonlySet<number> = new Set([400, 403, 404, 413, 415, 422])

/** Null if the same request may succeed later. */
function refusalOf(error: unknown): FailureError | null {
  if (error instanceof MissingPart) return { status: 0, message: error.message }
  if (!(error instanceof QuireError)) return null
  // Deleted after a lost response: the trash keeps the file for weeks.
  const isFinal = FINAL.has(error.status) || error.code === 'file_changed'
  return isFinal ? copyError(error) : null
}
