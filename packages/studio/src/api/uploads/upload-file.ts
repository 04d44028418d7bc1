import { QuireError } from '@quire/client'
import { spokenTexts } from '../../texts/say-refusal.ts'
import type { FileEntry } from '../file-entry.ts'
import { inTurns } from '../in-turns.ts'
import { randomName } from '../random-name.ts'
import { ApiError, toError, unreachable } from '../request.ts'
import { retryInTurns } from './retry-in-turns.ts'
import { LostError, StalledError } from './send-watched.ts'
import { byForm } from './upload-form.ts'
import { byParts } from './upload-parts.ts'
import { waitForNetwork } from './wait-for-network.ts'

export interface Uploading {
  /** From 0 to 1. */
  readonly onProgress?: (share: number) => void
  /** Whether the upload waits for its connection. */
  readonly onInterrupted?: (isInterrupted: boolean) => void
  readonly signal?: AbortSignal
  readonly folder?: string | null
  readonly isPrivate?: boolean
}

/** The server resizes each image during its upload. */
const MAX_CONCURRENT_UPLOADS = 3
/** Larger files are sent in parts. */
const MAX_FORM_BYTES = 8_388_608

const turn = inTurns(MAX_CONCURRENT_UPLOADS)

/**
 * Uploads a file in its turn. A stalled upload leaves its turn to the next one. A large file continues
 * after an interruption, until it has arrived or the signal aborts.
 * @throws ApiError for an error response, or without a connection; the reason of the signal
 */
export async function uploadFile(file: File, uploading: Uploading = {}): Promise<FileEntry> {
  const { signal = new AbortController().signal, folder = null, isPrivate = false } = uploading
  const { onProgress, onInterrupted } = uploading
  const open = file.size > MAX_FORM_BYTES ? byParts : byForm
  const way = open({ file, key: randomName(), folder, isPrivate, signal })
  let furthest = 0
  try {
    return await retryInTurns({
      turn,
      signal,
      run: async (onFurther) => {
        await assertReadable(file)
        return way.send((share) => {
          if (share > furthest) onFurther()
          furthest = Math.max(furthest, share)
          onProgress?.(share)
        })
      },
      maxRetries: (error) => way.maxRetries(error),
      pause: pauseAfter,
      onInterrupted: (isInterrupted) => onInterrupted?.(isInterrupted),
    })
  } catch (error) {
    way.giveUp()
    throw toApiError(error)
  }
}

function pauseAfter(failures: number, signal: AbortSignal, error: unknown): Promise<void> {
  const retryAfterMs = error instanceof QuireError ? error.retryAfterMs : null
  return waitForNetwork(failures, signal, retryAfterMs ?? 0)
}

/** A file that was changed or deleted on the disk looks like a lost connection. */
async function assertReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer()
  } catch {
    throw new ApiError(0, spokenTexts().t('media.unreadable'))
  }
}

function toApiError(error: unknown): unknown {
  if (error instanceof LostError || error instanceof StalledError) return unreachable()
  if (!(error instanceof QuireError)) return error
  const { status, code, message, details } = error
  return toError(
    { status, headers: new Headers({ 'Error-Code': code ?? '' }) },
    { error: { message, details } },
  )
}
