import { nameOf, type NativeFile } from '../files.ts'
import { fileDocumentId, randomClientId } from './derived-id.ts'
import {
  dropFile,
  FILE_TYPE,
  type FileContent,
  type FileQueue,
  type FileTexts,
  putFile,
  queueKey,
  type QueuedFile,
} from './file-queue.ts'
import type { HeldCopy } from './held-copy.ts'
import type { FailureError } from './mutation.ts'
import { type Change, makeRowKey, type StoreStorage } from './storage.ts'
import { encodeBase64, storeInParts } from './store-parts.ts'
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
   * @throws Error without `user`, or if the storage holds text without parts and the file has more than 20 MB; the error of
   * the storage
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
  readonly storage: Pick<StoreStorage, 'keepsBlobs' | 'parts'>
  readonly now: () => Date
}

/** Text has a third more bytes, and stores load all queued rows. */
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
  { files, copy, user, storage, now }: FileScope,
  file: Blob | NativeFile,
  { name, ...info }: AddFileOptions,
): Promise<string> {
  if (user === undefined) throw new Error('createStore needs `user` for changes')
  const key = randomClientId()
  const documentId = fileDocumentId(user, key)
  const place = queueKey(documentId)
  const queued = {
    documentId,
    user,
    key,
    name: name ?? nameOf(file),
    mime: file.type === '' ? 'application/octet-stream' : file.type,
    size: file.size ?? null,
    info,
    at: now().toISOString(),
    state: { kind: 'pending' },
  } as const
  do {
    const content = await contentOf(file, storage, place)
    await copy.update(() => [putFile({ ...queued, content })])
    // Stores delete parts without a row when they open.
  } while (
    (await storage.parts?.get(place, 0)) === undefined &&
    'bytesInParts' in (files.get(documentId)?.content ?? {})
  )
  return documentId
}

async function contentOf(
  file: Blob | NativeFile,
  { keepsBlobs = false, parts }: FileScope['storage'],
  key: string,
): Promise<FileContent> {
  if ('uri' in file) return { native: file }
  if (!keepsBlobs && file.size > MAX_TEXT_BYTES) {
    if (parts === undefined) {
      throw new Error(
        'The file has more than 20 MB. Keep it on the device, and add { uri, name, type }',
      )
    }
    await storeInParts(parts, key, file)
    return { bytesInParts: file.size }
  }
  // A copy, because the file of a picker may be deleted.
  const bytes = await file.arrayBuffer()
  if (keepsBlobs) return { blob: new Blob([bytes], { type: file.type }) }
  return { base64: encodeBase64(new Uint8Array(bytes)) }
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
