import type { Call } from '../call.ts'
import type { NativeFile } from '../files.ts'
import { QuireError } from '../quire-error.ts'
import { computeRetryDelay, sleep } from '../retries.ts'

export interface PartsUpload {
  readonly send: (call: Call) => Promise<unknown>
  readonly file: Blob | NativeFile
  readonly name: string
  readonly info: object
  /** The `Idempotency-Key` of an upload that a later call may resume. */
  readonly key?: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((sent: number, total: number) => void) | undefined
}

interface UploadState {
  readonly id: string
  readonly offset: number
}

const PATH = 'upload/resumable'
const TUS = { 'Tus-Resumable': '1.0.0' }
const PART_BYTES = 8_388_608
/** Milliseconds for one part. The server keeps the bytes of a part that takes longer. */
const PART_MS = 280_000
const MAX_METADATA = 8_192
const MAX_FAILURES = 10
/** With a key, the caller tries again later. */
const MAX_FAILURES_WITH_KEY = 2
const MAX_RESTARTS = 2
const MAX_WAIT_MS = 30_000

const TEMPORARY: ReadonlySet<number> = new Set([404, 408, 409, 423, 429, 500, 502, 503, 504])
/** An older server, or too many incomplete uploads. */
const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 429])

/**
 * Sends a file in parts of 8 MiB by tus 1.0.0, and resumes after failures.
 * @returns the body of a plain upload; null if the file must be sent as a plain upload
 * @throws QuireError, TypeError without a network, the reason of the signal
 */
export async function sendParts(upload: PartsUpload): Promise<unknown> {
  const file = await blobOf(upload.file)
  const metadata = metadataOf(upload)
  if (file === null || metadata.length > MAX_METADATA) return null
  const requests = openRequests(upload, file, metadata)
  const mostFailures = upload.key === undefined ? MAX_FAILURES : MAX_FAILURES_WITH_KEY
  let state: UploadState | null = null
  try {
    for (let failures = 0, restarts = 0; ;) {
      try {
        state ??= await requests.begin()
        const files = await requests.sendPart(state)
        if (files !== null) return files
        state = { ...state, offset: Math.min(state.offset + PART_BYTES, file.size) }
        failures = 0
        upload.onProgress?.(state.offset, file.size)
      } catch (error) {
        if (state === null && NOT_OFFERED.has(statusOf(error))) return null
        failures += 1
        if (failures > mostFailures || !isTemporary(error)) throw error
        await sleep(delayAfter(error, failures), upload.signal)
        state = state && (await requests.find(state))
        if (state === null && (restarts += 1) > MAX_RESTARTS) return null
      }
    }
  } catch (error) {
    if (state !== null && upload.key === undefined) requests.giveUp(state)
    throw error
  }
}

function openRequests({ send, key, signal }: PartsUpload, file: Blob, metadata: string) {
  const common = { ...(signal !== undefined && { signal }) }
  const at = ({ id }: UploadState): string => `${PATH}/${id}`
  return {
    begin: async () => {
      const headers = {
        ...TUS,
        'Upload-Length': String(file.size),
        'Upload-Metadata': metadata,
        ...(key !== undefined && { 'Idempotency-Key': key }),
      }
      const call = { method: 'POST', path: PATH, repeatable: key !== undefined } as const
      return (await send({ ...call, ...common, headers })) as UploadState
    },
    /** Null if bytes are missing. */
    sendPart: (state: UploadState) => {
      const headers = {
        ...TUS,
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Offset': String(state.offset),
      }
      const body = file.slice(state.offset, state.offset + PART_BYTES)
      const call = { method: 'PATCH', path: at(state), waitMs: PART_MS } as const
      return send({ ...call, ...common, headers, body })
    },
    /** Null if the server has no such upload. */
    find: async (state: UploadState) => {
      const call = { method: 'GET', path: at(state), isKept: false } as const
      return send({ ...call, ...common }).then(
        (found) => found as UploadState,
        (error: unknown) => (statusOf(error) === 404 ? null : state),
      )
    },
    giveUp: (state: UploadState) => {
      send({ method: 'DELETE', path: at(state), headers: TUS }).catch(() => undefined)
    },
  }
}

/** Null if the file of React Native cannot be read in slices. */
async function blobOf(file: Blob | NativeFile): Promise<Blob | null> {
  if (!('uri' in file)) return file
  try {
    return await (await fetch(file.uri)).blob()
  } catch {
    return null
  }
}

function metadataOf({ file: { type }, name, info }: PartsUpload): string {
  const values = { filename: name, filetype: type, fileInfo: JSON.stringify({ ...info, name }) }
  return Object.entries(values)
    .map(([key, value]) => `${key} ${toBase64(value)}`)
    .join(',')
}

function toBase64(text: string): string {
  return btoa(
    encodeURIComponent(text).replace(/%(..)/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
  )
}

function isTemporary(error: unknown): boolean {
  return error instanceof TypeError || TEMPORARY.has(statusOf(error)) // the error of fetch
}

function statusOf(error: unknown): number {
  return error instanceof QuireError ? error.status : 0
}

function delayAfter(error: unknown, failures: number): number {
  const asked = error instanceof QuireError ? error.retryAfterMs : null
  return Math.min(asked ?? computeRetryDelay(null, failures - 1), MAX_WAIT_MS)
}
