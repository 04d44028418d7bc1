import type { Call } from '../call.ts'
import { QuireError } from '../quire-error.ts'
import { computeRetryDelay, sleep } from '../retries.ts'
import type { NativeFile } from './native-file.ts'
import type { SlicedFile } from './sliced-file.ts'

export interface PartsUpload {
  readonly send: (call: Call) => Promise<unknown>
  readonly file: SlicedFile | NativeFile
  readonly name: string
  readonly info: object
  /** Relative to `/api`, unless `send` has other addresses. @default 'upload/resumable' */
  readonly path?: string
  /** Further keys of `Upload-Metadata`. */
  readonly fields?: Readonly<Record<string, string>>
  readonly onBegun?: ((id: string) => void) | undefined
  /** The `Idempotency-Key` of an upload that a later call may resume. */
  readonly key?: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((sent: number, total: number) => void) | undefined
}

interface UploadState {
  readonly id: string
  readonly offset: number
}

export const TUS = { 'Tus-Resumable': '1.0.0' }
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
const TOO_MANY = 429
/** Responses of an older server. */
const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405])

/**
 * Sends a file in parts of 8 MiB by tus 1.0.0, and resumes after failures.
 * @returns the body of a plain upload; null if the file must be sent as a plain upload
 * @throws QuireError, TypeError without a network, the reason of the signal
 */
export async function sendParts(upload: PartsUpload): Promise<unknown> {
  const file = await slicedOf(upload.file)
  const metadata = metadataOf(upload)
  if (file === null || metadata.length > MAX_METADATA) return null
  const requests = openRequests(upload, file, metadata)
  try {
    return await sendAll(requests, upload, file.size)
  } catch (error) {
    if (upload.key === undefined) requests.giveUp()
    throw error
  }
}

type Requests = ReturnType<typeof openRequests>

async function sendAll(requests: Requests, upload: PartsUpload, size: number): Promise<unknown> {
  let state: UploadState | null = null
  for (let failures = 0, restarts = 0; restarts <= MAX_RESTARTS;) {
    const step: Step = await takeStep(requests, state, size)
    state = step.state
    if (step.kind === 'stored') return step.files
    if (step.kind === 'sent') {
      failures = 0
      upload.onProgress?.(step.state.offset, size)
      continue
    }
    if (isNotOffered(step, upload)) return null
    failures += 1
    await waitAfter(step.error, failures, upload)
    if (state === null) continue
    state = await requests.find(state)
    restarts += state === null ? 1 : 0
  }
  return null
}

/** @throws the error, if a retry makes no sense */
async function waitAfter(
  error: unknown,
  failures: number,
  { key, signal }: PartsUpload,
): Promise<void> {
  const maxFailures = key === undefined ? MAX_FAILURES : MAX_FAILURES_WITH_KEY
  if (failures > maxFailures || !isTemporary(error)) throw error
  if (key !== undefined && statusOf(error) === TOO_MANY) throw error
  const asked = error instanceof QuireError ? error.retryAfterMs : null
  const delay = asked ?? computeRetryDelay(null, failures - 1)
  await sleep(Math.min(delay, MAX_WAIT_MS), signal)
}

/** Without a key, no incomplete upload can be resumed, so the file is sent as a form. */
function isNotOffered({ state, error }: FailedStep, { key }: Pick<PartsUpload, 'key'>): boolean {
  if (state !== null) return false
  const status = statusOf(error)
  return NOT_OFFERED.has(status) || (key === undefined && status === TOO_MANY)
}

type Step =
  | { readonly kind: 'stored'; readonly state: UploadState; readonly files: unknown }
  | { readonly kind: 'sent'; readonly state: UploadState }
  | FailedStep

interface FailedStep {
  readonly kind: 'failed'
  readonly state: UploadState | null
  readonly error: unknown
}

async function takeStep(
  requests: Requests,
  known: UploadState | null,
  size: number,
): Promise<Step> {
  let state = known
  try {
    state ??= await requests.begin()
    const files = await requests.sendPart(state)
    if (files !== null) return { kind: 'stored', state, files }
    const offset = Math.min(state.offset + PART_BYTES, size)
    return { kind: 'sent', state: { ...state, offset } }
  } catch (error) {
    return { kind: 'failed', state, error }
  }
}

function openRequests(
  { send, key, signal, path = 'upload/resumable', onBegun }: PartsUpload,
  file: SlicedFile,
  metadata: string,
) {
  let begun: UploadState | null = null
  const common = { ...(signal !== undefined && { signal }) }
  const at = ({ id }: UploadState): string => `${path}/${id}`
  return {
    begin: async () => {
      const headers = {
        ...TUS,
        'Upload-Length': String(file.size),
        'Upload-Metadata': metadata,
        ...(key !== undefined && { 'Idempotency-Key': key }),
      }
      const call = { method: 'POST', path, repeatable: key !== undefined } as const
      begun = (await send({ ...call, ...common, headers })) as UploadState
      onBegun?.(begun.id)
      return begun
    },
    /** Null if bytes are missing. */
    sendPart: async (state: UploadState) => {
      const headers = {
        ...TUS,
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Offset': String(state.offset),
      }
      const body = await file.slice(state.offset, state.offset + PART_BYTES)
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
    /** In the background: uploads that are not deleted expire. */
    giveUp: () => {
      if (begun === null) return
      send({ method: 'DELETE', path: at(begun), headers: TUS }).catch(() => undefined)
    },
  }
}

/** Null if the file of React Native cannot be read in slices. */
async function slicedOf(file: SlicedFile | NativeFile): Promise<SlicedFile | null> {
  if (!('uri' in file)) return file
  try {
    return await (await fetch(file.uri)).blob()
  } catch {
    return null
  }
}

function metadataOf({ file: { type }, name, info, fields }: PartsUpload): string {
  const fileInfo = JSON.stringify({ ...info, name })
  const values = { filename: name, filetype: type, fileInfo, ...fields }
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

/** Whether a later attempt may succeed: without a network, or after a temporary response. */
export function isTemporary(error: unknown): boolean {
  return error instanceof TypeError || TEMPORARY.has(statusOf(error)) // the error of fetch
}

function statusOf(error: unknown): number {
  return error instanceof QuireError ? error.status : 0
}
