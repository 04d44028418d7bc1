import { randomUUID } from 'node:crypto'
import {
  ConflictError,
  LockedError,
  NotFoundError,
  RateLimitError,
  ServiceUnavailableError,
  UnprocessableContentError,
} from '../../base/errors.ts'
import { isDuplicateKey } from '../../mongo/connection/database-error.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { Table } from '../../mongo/connection/table.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'

export interface UploadPart {
  readonly name: string
  readonly size: number
}

export interface UploadRow {
  /** The documentId of the file. */
  readonly _id: string
  readonly owner: string
  readonly length: number
  /** The header `Upload-Metadata`. */
  readonly metadata: string
  readonly name: string
  readonly type: string
  /** JSON, as in a multipart upload. */
  readonly fileInfo: string | null
  /** Absent in rows of older releases. */
  readonly folder?: string | null
  readonly offset: number
  readonly parts: readonly UploadPart[]
  /** All names that parts may have been stored under, those of interrupted writes included. */
  readonly names: readonly string[]
  /** Whether the file exists. */
  readonly isStored: boolean
  readonly expiresAt: Date
  readonly holder: string | null
  readonly heldUntil: Date
  readonly isInterrupted: boolean
}

export type NewUpload = Pick<
  UploadRow,
  '_id' | 'owner' | 'length' | 'metadata' | 'name' | 'type' | 'fileInfo' | 'folder' | 'isStored'
>

/** An upload under the lock of one request. */
export interface HeldUpload {
  readonly row: UploadRow
  readonly holder: string
}

export const UPLOADS = 'quire_uploads'
const EXPIRES_AFTER_MS = 86_400_000
const LEASE_MS = 5_000
/** A lease that ends later was written by a process with a wrong clock. */
const MAX_PLAUSIBLE_MS = 10 * LEASE_MS
export const MAX_OPEN_UPLOADS = 1_000
export const MAX_OPEN_UPLOADS_OF_CALLER = 20
const RETRY_SECONDS = 60
const BATCH = 100

export type UploadRows = Awaited<ReturnType<typeof openUploadRows>>

export async function openUploadRows(database: Database, now: () => Date) {
  const rows = database.table<UploadRow>(UPLOADS)
  await ensureIndexes(rows, [
    { key: { expiresAt: 1 }, name: 'expiresAt' },
    { key: { isStored: 1, owner: 1 }, name: 'isStored_owner' },
  ])
  const later = (ms: number): Date => new Date(now().getTime() + ms)
  const find = (id: string, owner: string): Promise<UploadRow | null> =>
    rows.findOne({ _id: id, owner, expiresAt: { $gt: now() } })
  return {
    ...openLocks(rows, later),
    find,
    /** Returns the earlier row with the same id, without `assertAccepted`. */
    add: async (
      upload: NewUpload,
      assertAccepted: () => Promise<void> = () => Promise.resolve(),
    ): Promise<UploadRow> => {
      const earlier = await find(upload._id, upload.owner)
      if (earlier !== null) return assertSame(earlier, upload)
      await assertAccepted()
      const offset = upload.isStored ? upload.length : 0
      const row = { ...EMPTY, ...upload, offset, expiresAt: later(EXPIRES_AFTER_MS) }
      if (await insertWithinLimits(rows, row, now)) return row
      return assertSame(await find(upload._id, upload.owner), upload)
    },
    hold: (id: string, owner: string): Promise<HeldUpload> =>
      hold(rows, { _id: id, owner, expiresAt: { $gt: now() } }, now()),
    holdExpired: async (): Promise<readonly HeldUpload[]> => {
      const expired = { expiresAt: { $lte: now() } }
      const found = await rows.find(expired).limit(BATCH).toArray()
      const held = found.map(({ _id }) => tryHold(rows, { _id, ...expired }, now()))
      return (await Promise.all(held)).filter((one) => one !== null)
    },
    interrupt: async ({ _id, holder }: UploadRow): Promise<void> => {
      await rows.updateOne({ _id, holder }, { $set: { isInterrupted: true } })
    },
    isFree: ({ heldUntil }: UploadRow): boolean => heldUntil <= now(),
    /** The file exists, so that a request without the lock may say so as well. */
    markStored: async (id: string): Promise<void> => {
      await rows.updateOne({ _id: id }, { $set: { isStored: true } })
    },
    clear: async (id: string): Promise<void> => {
      await rows.updateOne({ _id: id }, { $set: { parts: [], names: [] } })
    },
    names: async (): Promise<readonly string[]> => {
      const found = await rows.find({}, { projection: { names: 1 } }).toArray()
      return found.flatMap(({ names }) => names)
    },
  }
}

function openLocks(rows: Table<UploadRow>, later: (ms: number) => Date) {
  return {
    /** Returns false if another request holds the upload or asks for it. */
    renew: async ({ row: { _id }, holder }: HeldUpload): Promise<boolean> => {
      const renewed = { $set: { heldUntil: later(LEASE_MS) } }
      const row = await rows.findOneAndUpdate({ _id, holder }, renewed)
      return row?.isInterrupted === false
    },
    release: async ({ row: { _id }, holder }: HeldUpload): Promise<void> => {
      await rows.updateOne({ _id, holder }, { $set: FREE })
    },
    /** Before the bytes are stored, so that a sweep finds them after a crash. */
    announce: async ({ row: { _id }, holder }: HeldUpload, name: string): Promise<void> => {
      assertHeld(await rows.updateOne({ _id, holder }, { $push: { names: name } }))
    },
    append: async ({ row, holder }: HeldUpload, part: UploadPart): Promise<HeldUpload> => {
      const { _id, offset } = row
      const changed = await rows.findOneAndUpdate(
        { _id, holder, offset },
        {
          $push: { parts: part },
          $inc: { offset: part.size },
          $set: { expiresAt: later(EXPIRES_AFTER_MS) },
        },
        { returnDocument: 'after' },
      )
      if (changed === null) throw interrupted()
      return { row: changed, holder }
    },
    remove: async ({ row: { _id }, holder }: HeldUpload): Promise<void> => {
      await rows.deleteOne({ _id, holder })
    },
  }
}

const FREE = { holder: null, heldUntil: new Date(0), isInterrupted: false } as const
const EMPTY = { parts: [], names: [], ...FREE } as const

/** Returns false if a concurrent request has inserted a row with the same id. */
async function insertWithinLimits(
  rows: Table<UploadRow>,
  row: UploadRow,
  now: () => Date,
): Promise<boolean> {
  await assertRoom(rows, row.owner, now(), row.isStored ? 0 : 1)
  try {
    await rows.insertOne(row)
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
  await assertStillRoom(rows, row, now())
  return true
}

/** Concurrent requests count each other, so that no more than the limit stay. */
async function assertStillRoom(
  rows: Table<UploadRow>,
  { _id, owner }: Pick<UploadRow, '_id' | 'owner'>,
  now: Date,
): Promise<void> {
  try {
    await assertRoom(rows, owner, now, 0)
  } catch (error) {
    await rows.deleteOne({ _id })
    throw error
  }
}

async function assertRoom(
  rows: Table<UploadRow>,
  owner: string,
  now: Date,
  more = 1,
): Promise<void> {
  const open = { isStored: false, expiresAt: { $gt: now } }
  const own = await rows.countDocuments({ ...open, owner })
  if (own + more > MAX_OPEN_UPLOADS_OF_CALLER) {
    throw new RateLimitError('Too many incomplete uploads of this caller', RETRY_SECONDS)
  }
  if ((await rows.countDocuments(open)) + more <= MAX_OPEN_UPLOADS) return
  throw new ServiceUnavailableError('Too many incomplete uploads', {}, { code: 'overloaded' })
}

function assertSame(stored: UploadRow | null, upload: NewUpload): UploadRow {
  if (stored === null) throw new LockedError('The earlier upload has expired and is being deleted')
  const isSame = stored.length === upload.length && stored.metadata === upload.metadata
  if (isSame) return stored
  throw new UnprocessableContentError('The Idempotency-Key belongs to an upload of another file')
}

type Wanted = Parameters<Table<UploadRow>['findOne']>[0]

async function hold(rows: Table<UploadRow>, wanted: Wanted, at: Date): Promise<HeldUpload> {
  const held = await tryHold(rows, wanted, at)
  if (held !== null) return held
  if ((await rows.findOne(wanted)) === null) throw noUpload()
  throw new LockedError('Another request receives this upload')
}

async function tryHold(
  rows: Table<UploadRow>,
  wanted: Wanted,
  at: Date,
): Promise<HeldUpload | null> {
  const holder = randomUUID()
  const ahead = new Date(at.getTime() + MAX_PLAUSIBLE_MS)
  const row = await rows.findOneAndUpdate(
    { ...wanted, $or: [{ heldUntil: { $lte: at } }, { heldUntil: { $gt: ahead } }] },
    { $set: { holder, heldUntil: new Date(at.getTime() + LEASE_MS), isInterrupted: false } },
    { returnDocument: 'after' },
  )
  return row === null ? null : { row, holder }
}

function assertHeld({ matchedCount }: { readonly matchedCount: number }): void {
  if (matchedCount === 0) throw interrupted()
}

export function interrupted(): ConflictError {
  return new ConflictError(
    'Another request has taken over this upload',
    {},
    { code: 'upload_offset' },
  )
}

export function noUpload(): NotFoundError {
  return new NotFoundError('There is no such upload')
}
