import type { FileTranslations, NativeFile } from '../files.ts'
import type { FailureError } from './mutation.ts'
import { type Change, makeRowKey, type Row } from './storage.ts'

/** A file of the user that is not among the rows of the server yet, as the storage holds it. */
export interface QueuedFile {
  readonly documentId: string
  readonly user: string
  /** The `Idempotency-Key` of its upload. */
  readonly key: string
  readonly name: string
  readonly mime: string
  /** In bytes. Null if unknown. */
  readonly size: number | null
  readonly info: FileTexts
  /** The time of the change on the device. */
  readonly at: string
  /** Null if the server has the bytes. */
  readonly content: FileContent | null
  readonly state: FileState
}

export interface FileTexts {
  readonly alternativeText?: string
  readonly caption?: string
  readonly translations?: FileTranslations
  /** A private file has addresses that expire. */
  readonly private?: boolean
}

export type FileContent =
  | { readonly blob: Blob }
  /** For storages of text. */
  | { readonly base64: string }
  /** In the parts of a storage of text. */
  | { readonly bytesInParts: number }
  /** A file that the app keeps on the device. */
  | { readonly native: NativeFile }

export type FileState =
  | { readonly kind: 'pending' }
  /** `file` is the response of the server. */
  | { readonly kind: 'stored'; readonly round: number; readonly file: Row['data'] }
  | { readonly kind: 'failed'; readonly error: FailureError }

/** The files of a store that are not among the rows, in memory. */
export interface FileQueue {
  /** In the order in which they were added. */
  list(): readonly QueuedFile[]
  get(documentId: string): QueuedFile | undefined
  /** The row that is shown until the server sends one. */
  rowFor(key: string): Row | undefined
  /** The keys of the rows of all files. */
  keys(): ReadonlySet<string>
  /** Returns the keys of the rows of changed files. */
  apply(changes: readonly Change[]): ReadonlySet<string>
  replace(rows: readonly Row[]): void
}

/** The type of rows that hold queued files, next to the rows of content. */
const QUEUE = '$uploads'
export const FILE_TYPE = 'upload.file'
/** A round that no sweep removes. */
const ROUND = Number.MAX_SAFE_INTEGER

export function openFileQueue(): FileQueue {
  const files = new Map<string, QueuedFile>()
  const addresses = openAddresses()
  const applyOne = (change: Change): string | null => {
    if (change.op === 'put' && change.row.type === QUEUE) {
      const file = change.row.data as unknown as QueuedFile
      if (file.content === null) addresses.drop(file.documentId)
      files.set(file.documentId, file)
      return rowKey(file.documentId)
    }
    if (change.op !== 'delete' || change.type !== QUEUE) return null
    const [, documentId = ''] = change.key.split(' ')
    addresses.drop(documentId)
    return files.delete(documentId) ? rowKey(documentId) : null
  }
  return {
    list: () => [...files.values()].sort(byAge),
    get: (documentId) => files.get(documentId),
    rowFor: (key) => {
      const file = files.get(key.split(' ')[1] ?? '')
      return file === undefined ? undefined : fileRow(file, addresses)
    },
    keys: () => new Set([...files.keys()].map(rowKey)),
    apply: (changes) => new Set(changes.flatMap((change) => applyOne(change) ?? [])),
    replace: (rows) => {
      files.clear()
      for (const row of rows) applyOne({ op: 'put', row })
      addresses.keep(files)
    },
  }
}

export function putFile(file: QueuedFile): Change {
  const { documentId } = file
  const row = { type: QUEUE, documentId, locale: null, round: ROUND, data: { ...file } }
  return { op: 'put', row }
}

/** The key of its row in the queue. */
export function queueKey(documentId: string): string {
  return makeRowKey({ type: QUEUE, documentId, locale: null })
}

/** Also deletes its parts. */
export function dropFile(documentId: string): Change {
  return { op: 'delete', type: QUEUE, key: queueKey(documentId) }
}

export function isPending({ state }: QueuedFile): boolean {
  return state.kind === 'pending'
}

function rowKey(documentId: string): string {
  return makeRowKey({ type: FILE_TYPE, documentId, locale: null })
}

function byAge(one: QueuedFile, other: QueuedFile): number {
  if (one.at !== other.at) return one.at < other.at ? -1 : 1
  return one.documentId < other.documentId ? -1 : 1
}

type Addresses = ReturnType<typeof openAddresses>

function fileRow(file: QueuedFile, addresses: Addresses): Row {
  const row = { type: FILE_TYPE, documentId: file.documentId, locale: null, round: 0 }
  const { state } = file
  return { ...row, data: state.kind === 'stored' ? state.file : newData(file, addresses) }
}

/** The id is negative until the server assigns one. */
function newData(
  { documentId, name, mime, size, info, at, content }: QueuedFile,
  addresses: Addresses,
): Row['data'] {
  const dot = name.lastIndexOf('.')
  return {
    id: -Number.parseInt(documentId.slice(1, 10), 36),
    documentId,
    name,
    alternativeText: null,
    caption: null,
    focalPoint: null,
    width: null,
    height: null,
    formats: null,
    ext: dot > 0 ? name.slice(dot) : '',
    mime,
    size: size === null ? null : Math.round(size / 10) / 100,
    private: false,
    ...info,
    url: content === null ? '' : addresses.of(documentId, mime, content),
    previewUrl: null,
    createdAt: at,
    updatedAt: at,
    publishedAt: at,
  }
}

/** Addresses of blobs hold memory until they are revoked. */
function openAddresses() {
  const blobs = new Map<string, string>()
  const drop = (documentId: string): void => {
    const address = blobs.get(documentId)
    if (address === undefined) return
    blobs.delete(documentId)
    URL.revokeObjectURL(address)
  }
  return {
    of: (documentId: string, mime: string, content: FileContent): string => {
      if ('native' in content) return content.native.uri
      if ('bytesInParts' in content) return ''
      if ('base64' in content) return `data:${mime};base64,${content.base64}`
      const address = blobs.get(documentId) ?? URL.createObjectURL(content.blob)
      blobs.set(documentId, address)
      return address
    },
    drop,
    keep: (files: ReadonlyMap<string, unknown>): void => {
      for (const documentId of blobs.keys()) if (!files.has(documentId)) drop(documentId)
    },
  }
}
