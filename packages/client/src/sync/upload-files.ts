import { appendFile, nameOf, type NativeFile, sendInParts } from '../files.ts'
import { QuireError } from '../quire-error.ts'
import type { Call } from '../call.ts'
import { fileDocumentId, randomClientId } from './derived-id.ts'
import {
  dropFile,
  FILE_TYPE,
  type FileContent,
  type FileQueue,
  type FileState,
  type FileTexts,
  isPending,
  putFile,
  type QueuedFile,
} from './file-queue.ts'
import type { HeldCopy } from './held-copy.ts'
import { copyError, type FailureError } from './mutation.ts'
import { type Change, makeRowKey } from './storage.ts'
import type { SyncPage } from './sync-page.ts'

export interface AddFileOptions extends FileTexts {
  /** @default the name of the file */
  readonly name?: string
}

/** A file that the server does not have yet. */
export interface PendingFile {
  readonly documentId: string
  readonly name: string
  readonly mime: string
  /** In bytes. Null if unknown. */
  readonly size: number | null
  /** The time of the change on the device. */
  readonly at: string
  /** The reason why the server has refused it. The app resolves it by `retry` or `discard`. */
  readonly error: FailureError | null
}

/** Files that are stored on the device, and sent when there is a network. */
export interface FileOutbox {
  /**
   * Stores a file, and returns its documentId for media attributes. Changes that name it wait until the server has it.
   * @throws Error without `user`, or if the storage holds text and the file has more than 20 MB; the error of the storage
   */
  add(file: Blob | NativeFile, options?: AddFileOptions): Promise<string>
  readonly pending: readonly PendingFile[]
  /** Sends a refused file again. */
  retry(documentId: string): Promise<void>
  /** Gives up a file. The server keeps it if it was sent already. */
  discard(documentId: string): Promise<void>
}

export interface FileScope {
  readonly files: FileQueue
  readonly copy: HeldCopy
  /** Undefined if the store is for reading only. */
  readonly user: string | undefined
  readonly keepsBlobs: boolean
  readonly now: () => Date
}

/** Text has a third more bytes, and a store loads all of its rows. */
const MAX_TEXT_BYTES = 20_000_000

export function openFileOutbox(scope: FileScope): FileOutbox {
  const { files, copy } = scope
  const change = async (
    documentId: string,
    make: (file: QueuedFile) => readonly Change[] | null,
  ): Promise<void> => {
    await copy.update(() => {
      const file = files.get(documentId)
      return file === undefined ? null : make(file)
    })
  }
  return {
    add: (file, options = {}) => addFile(scope, file, options),
    get pending() {
      return files.list().flatMap(({ documentId, name, mime, size, at, state }) => {
        if (state.kind === 'stored') return []
        const error = state.kind === 'failed' ? state.error : null
        return [{ documentId, name, mime, size, at, error }]
      })
    },
    retry: (documentId) =>
      change(documentId, (file) =>
        file.state.kind === 'failed' ? [putFile({ ...file, state: { kind: 'pending' } })] : null,
      ),
    discard: (documentId) =>
      change(documentId, ({ state }) => (state.kind === 'stored' ? null : [dropFile(documentId)])),
  }
}

async function addFile(
  { copy, user, keepsBlobs, now }: FileScope,
  file: Blob | NativeFile,
  { name, ...info }: AddFileOptions,
): Promise<string> {
  if (user === undefined) throw new Error('createStore needs `user` for changes')
  const key = randomClientId()
  const documentId = fileDocumentId(user, key)
  const content = await contentOf(file, keepsBlobs)
  const queued = {
    documentId,
    user,
    key,
    name: name ?? nameOf(file),
    mime: file.type === '' ? 'application/octet-stream' : file.type,
    size: file.size ?? null,
    info,
    at: now().toISOString(),
    content,
    state: { kind: 'pending' },
  } as const
  await copy.update(() => [putFile(queued)])
  return documentId
}

async function contentOf(file: Blob | NativeFile, keepsBlobs: boolean): Promise<FileContent> {
  if ('uri' in file) return { native: file }
  // A copy of the bytes: the file of a picker may be moved or deleted.
  const bytes = await file.arrayBuffer()
  if (keepsBlobs) return { blob: new Blob([bytes], { type: file.type }) }
  if (bytes.byteLength <= MAX_TEXT_BYTES) return { base64: toBase64(new Uint8Array(bytes)) }
  throw new Error(
    'The file has more than 20 MB. Keep it on the device, and add { uri, name, type }',
  )
}

/** More arguments than this overflow the stack of some engines. */
const PART = 8_192

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += PART) {
    text += String.fromCodePoint(...bytes.subarray(start, start + PART))
  }
  return btoa(text)
}

export interface UploadScope {
  readonly send: (call: Call) => Promise<unknown>
  readonly copy: HeldCopy
  readonly files: FileQueue
  /** True if the store shows files, so that a stored one is shown until its row arrives. */
  readonly showsFiles: boolean
}

/**
 * Sends a file, and stores the result.
 * @throws QuireError if a retry may succeed, TypeError without a network, the error of the storage
 */
export async function uploadFile(
  { send, copy, files, showsFiles }: UploadScope,
  { documentId, key, name, mime, info, content }: QueuedFile,
  signal: AbortSignal,
): Promise<void> {
  const settle = async (make: (file: QueuedFile, round: number) => Change): Promise<void> => {
    await copy.update(({ round }) => {
      const file = files.get(documentId)
      // Discarded, or settled by another tab.
      return file === undefined || !isPending(file) ? null : [make(file, round)]
    })
  }
  try {
    const answer = await sendFile(send, { key, name, mime, info, content }, signal)
    const [stored] = answer as readonly Readonly<Record<string, unknown>>[]
    await settle((file, round) => {
      if (!showsFiles || stored === undefined) return dropFile(documentId)
      return putFile({ ...file, content: null, state: { kind: 'stored', round, file: stored } })
    })
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === null) throw error
    const state: FileState = { kind: 'failed', error: refusal }
    await settle((file) => putFile({ ...file, state }))
  }
}

async function sendFile(
  send: UploadScope['send'],
  {
    key,
    name,
    mime,
    info,
    content,
  }: Pick<QueuedFile, 'key' | 'name' | 'mime' | 'info' | 'content'>,
  signal: AbortSignal,
): Promise<unknown> {
  const file = content && sendable(content, mime)
  const sent = file && (await sendInParts({ send, file, name, info, key, signal }))
  if (sent !== null) return sent
  const body = new FormData()
  body.append('fileInfo', JSON.stringify({ ...info, name }))
  if (file !== null) appendFile(body, file, name)
  const headers = { 'Idempotency-Key': key }
  return send({ method: 'POST', path: 'upload', body, headers, signal })
}

function sendable(content: FileContent, mime: string): Blob | NativeFile {
  if ('native' in content) return content.native
  if ('blob' in content) return content.blob
  const bytes = Uint8Array.from(atob(content.base64), (letter) => letter.codePointAt(0) ?? 0)
  return new Blob([bytes], { type: mime })
}

const FINAL: ReadonlySet<number> = new Set([400, 403, 404, 413, 415, 422])

/** Null if the same request may succeed later. */
function refusalOf(error: unknown): FailureError | null {
  return error instanceof QuireError && FINAL.has(error.status) ? copyError(error) : null
}

/** The changes that end the display of stored files as soon as the rows of a page contain them. */
export function arrivedIn(
  files: FileQueue,
  { items }: Pick<SyncPage, 'items'>,
  /** The round that the page completes. Null if it completes none. */
  swept: number | null,
): readonly Change[] {
  const keys = new Set(items.flatMap((item) => (item.op === 'reset' ? [] : [makeRowKey(item)])))
  return files.list().flatMap(({ documentId, state }) => {
    if (state.kind !== 'stored') return []
    const isOver = swept !== null && state.round < swept
    const hasArrived = keys.has(makeRowKey({ type: FILE_TYPE, documentId, locale: null }))
    return isOver || hasArrived ? [dropFile(documentId)] : []
  })
}
