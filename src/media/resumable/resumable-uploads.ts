import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { LockedError, ValidationError } from '../../base/errors.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { newDocumentId } from '../../mongo/versions/document-id.ts'
import { HEAD_BYTES } from '../detect-type.ts'
import { newPrivateEnd } from '../private-names.ts'
import type { Upload } from '../receive-upload.ts'
import { withSpoolFolder } from '../spool-folder.ts'
import type { MediaStorage } from '../storage/storage.ts'
import { PART_BYTES, spoolParts } from './spool-parts.ts'
import {
  type HeldUpload,
  type NewUpload,
  noUpload,
  openUploadRows,
  type UploadRow,
  type UploadRows,
} from './upload-rows.ts'

export interface ResumableUploads {
  /**
   * Returns the earlier upload with the same id of the same owner, without `assertAccepted`.
   * @throws RateLimitError, ServiceUnavailableError, UnprocessableContentError
   */
  create(upload: Described, assertAccepted?: () => Promise<void>): Promise<UploadRow>
  /** Ends an upload whose file was deleted for good, so that its id can be used again. @throws LockedError */
  forget(id: string, owner: string): Promise<void>
  /** Interrupts a request that still receives bytes. @throws NotFoundError, LockedError */
  find(id: string, owner: string): Promise<UploadRow>
  /** Runs `work` under the lock of the upload. @throws NotFoundError, LockedError */
  holding<T>(id: string, owner: string, work: (lock: UploadLock) => Promise<T>): Promise<T>
  /** @throws NotFoundError, LockedError */
  remove(id: string, owner: string): Promise<void>
  /** Deletes expired uploads with their parts. Returns the number of uploads. */
  sweep(): Promise<number>
  /** The names of all parts in the storage. */
  storedNames(): Promise<readonly string[]>
}

export type Described = Omit<NewUpload, '_id'> & {
  /** Null for a new one. */
  readonly _id: string | null
}

export interface UploadLock {
  readonly row: UploadRow
  /** Stores the body as parts, also after a cut connection. Resolves if all of it has arrived. */
  receive(request: IncomingMessage): Promise<UploadRow>
  /** Runs `work` with the whole file, then deletes the parts. */
  complete<T>(work: (upload: Upload) => Promise<T>): Promise<T>
}

export interface ResumableOptions {
  readonly database: Database
  readonly storage: MediaStorage
  readonly spoolFolder: string
  readonly now: () => Date
}

const RENEW_MS = 1_000
const POLL_MS = 50
/** Longer than the lease of a killed process. */
const MAX_WAIT_MS = 6_000
/** So that a client with tiny requests cannot fill the row of the upload. */
const MIN_PARTS = 1_000

interface Scope extends ResumableOptions {
  readonly rows: UploadRows
  /** The requests of this process that receive bytes, by upload. */
  readonly receiving: Map<string, AbortController>
}

export async function openResumableUploads(options: ResumableOptions): Promise<ResumableUploads> {
  const rows = await openUploadRows(options.database, options.now)
  const scope: Scope = { ...options, rows, receiving: new Map() }
  return {
    create: ({ _id, ...upload }, assertAccepted) =>
      rows.add({ ...upload, _id: _id ?? newDocumentId() }, assertAccepted),
    forget: async (id, owner) => {
      const row = await rows.find(id, owner)
      if (row?.isStored === true) await end(scope, await rows.hold(id, owner))
    },
    find: async (id, owner) => {
      const row = await findFree(scope, id, owner)
      await assertReachable(scope, row)
      return row
    },
    holding: (id, owner, work) => holding(scope, id, owner, work),
    remove: async (id, owner) => {
      await findFree(scope, id, owner)
      await end(scope, await rows.hold(id, owner))
    },
    sweep: () => sweep(scope),
    storedNames: () => rows.names(),
  }
}

/** The offset for clients: the last byte counts as received once the file exists. */
export function shownOffset({ offset, length, isStored }: UploadRow): number {
  return isStored ? length : Math.min(offset, length - 1)
}

export function isReceived({ offset, length }: UploadRow): boolean {
  return offset === length
}

/** Requests with fewer bytes would exceed the number of parts. The last request may have fewer. */
export function leastBytesOf({ length }: Pick<UploadRow, 'length'>): number {
  return Math.ceil(length / (MIN_PARTS + Math.ceil(length / PART_BYTES)))
}

/** A request of a lost connection may hold the lock until its deadline, so it is interrupted. */
async function findFree({ rows, receiving }: Scope, id: string, owner: string): Promise<UploadRow> {
  const deadline = performance.now() + MAX_WAIT_MS
  for (let isFirst = true; ; isFirst = false) {
    const row = await rows.find(id, owner)
    if (row === null) throw noUpload()
    if (isReceived(row) || rows.isFree(row)) return row
    if (isFirst) {
      await rows.interrupt(row)
      receiving.get(id)?.abort()
    }
    if (performance.now() > deadline) throw new LockedError('Another request receives this upload')
    await delay(POLL_MS)
  }
}

/** With `local`, another machine may have the parts. */
async function assertReachable(
  { storage }: Pick<Scope, 'storage'>,
  { parts }: UploadRow,
): Promise<void> {
  const last = parts.at(-1)
  if (last !== undefined && (await storage.get(last.name)) === null) throw noUpload()
}

async function holding<T>(
  scope: Scope,
  id: string,
  owner: string,
  work: (lock: UploadLock) => Promise<T>,
): Promise<T> {
  const { rows, receiving } = scope
  const held = await rows.hold(id, owner)
  const ended = new AbortController()
  receiving.set(id, ended)
  const renewal = setInterval(() => {
    rows.renew(held).then(
      (isOurs) => isOurs || ended.abort(),
      () => undefined, // a failed renewal is retried
    )
  }, RENEW_MS)
  try {
    await assertReachable(scope, held.row)
    return await work({
      row: held.row,
      receive: (request) => receive(scope, held, { request, signal: ended.signal }),
      complete: (run) => complete(scope, held.row._id, owner, run),
    })
  } finally {
    clearInterval(renewal)
    if (receiving.get(id) === ended) receiving.delete(id)
    await rows.release(held).catch(() => undefined) // the lease expires
  }
}

interface Received {
  readonly request: IncomingMessage
  readonly signal: AbortSignal
}

function receive(
  { rows, storage, spoolFolder }: Scope,
  held: HeldUpload,
  { request, signal }: Received,
): Promise<UploadRow> {
  const maxBytes = held.row.length - held.row.offset
  return withSpoolFolder(spoolFolder, 'upload-', async (folder) => {
    let current = held
    for await (const { path, size } of spoolParts(request, { folder, maxBytes, signal })) {
      assertFewParts(current.row, size)
      const name = `part_${newPrivateEnd()}`
      await rows.announce(current, name)
      await storage.put(name, path)
      current = await rows.append(current, { name, size })
    }
    return current.row
  })
}

/** The rest of the file in one request always fits. */
function assertFewParts({ names, length, offset }: UploadRow, size: number): void {
  if (names.length < MIN_PARTS + 2 * Math.ceil(length / PART_BYTES)) return
  if (size === PART_BYTES || offset + size === length) return
  throw new ValidationError(
    'The upload has too many parts: send the rest of the file in one request',
    {},
    { code: 'invalid_upload' },
  )
}

async function complete<T>(
  { rows, storage, spoolFolder }: Scope,
  id: string,
  owner: string,
  work: (upload: Upload) => Promise<T>,
): Promise<T> {
  const row = await rows.find(id, owner)
  if (row === null) throw noUpload()
  return withSpoolFolder(spoolFolder, 'upload-', async (folder) => {
    const path = join(folder, 'file-0')
    await assemble(storage, row, path)
    const { name, type, length: size, fileInfo, folder: target = null } = row
    const given = Object.entries({ fileInfo, folder: target })
    const fields = new Map(
      given.flatMap(([key, value]) => (value === null ? [] : [[key, [value]]])),
    )
    const file = { path, name, type, size, head: await readHead(path) }
    const done = await work({ files: [file], fields, ignored: new Set(), folder })
    await rows.markStored(id)
    await removeParts(storage, row)
    await rows.clear(id)
    return done
  })
}

async function assemble(storage: MediaStorage, { parts }: UploadRow, path: string): Promise<void> {
  for (const { name } of parts) {
    const part = await storage.get(name)
    if (part === null) throw noUpload()
    await pipeline(part.read(), createWriteStream(path, { flags: 'a' }))
  }
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function sweep(scope: Scope): Promise<number> {
  for (let swept = 0; ;) {
    const expired = await scope.rows.holdExpired()
    if (expired.length === 0) return swept
    for (const held of expired) await end(scope, held)
    swept += expired.length
  }
}

/** The row goes last, so that the next sweep can resume. */
async function end({ rows, storage }: Scope, held: HeldUpload): Promise<void> {
  await removeParts(storage, held.row)
  await rows.remove(held)
}

async function removeParts(storage: MediaStorage, { names }: UploadRow): Promise<void> {
  for (const name of names) await storage.remove(name)
}
