import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Document, GridFSBucket, GridFSFile, ObjectId } from 'mongodb'
import { asCmsErrors, isDuplicateKey } from '../../mongo/connection/database-error.ts'
import type { Database } from '../../mongo/connection/database.ts'
import {
  assertStorageName,
  type Leftover,
  type MediaStorage,
  type StoredFile,
  type StoredName,
  uploadsPath,
} from './storage.ts'

const BUCKET = 'quire_uploads'

export function openGridFsStorage(database: Pick<Database, 'bucket' | 'collection'>): MediaStorage {
  const bucket = database.bucket(BUCKET)
  return {
    provider: 'gridfs',
    put: (name, path) => asCmsErrors(() => put(bucket, name, path)),
    rename: (from, to) => asCmsErrors(() => rename(database, bucket, from, to)),
    get: (name) => asCmsErrors(() => getFile(bucket, name)),
    remove: (name) =>
      asCmsErrors(async () => {
        for (const { _id } of await revisionsOf(bucket, name)) await bucket.delete(_id)
      }),
    urlOf: uploadsPath,
    list: () => list(bucket),
    leftovers: () => leftovers(database, bucket),
  }
}

async function* list(bucket: GridFSBucket): AsyncGenerator<StoredName> {
  for await (const file of bucket.find({}, { sort: { filename: 1, uploadDate: -1 } })) {
    yield { name: file.filename, modifiedAt: file.uploadDate }
  }
}

/** Finds superseded revisions and chunks without a file, left by interrupted writes and removals. */
async function* leftovers(
  database: Pick<Database, 'collection'>,
  bucket: GridFSBucket,
): AsyncGenerator<Leftover> {
  // Read first, so that a concurrent write has its file by then or is recent.
  const written = await database
    .collection(`${BUCKET}.chunks`)
    .aggregate<{ readonly _id: ObjectId }>([{ $group: { _id: '$files_id' } }], {
      allowDiskUse: true,
    })
    .toArray()
  const known = new Set<string>()
  let previous: string | null = null
  const newestFirst = { filename: 1, uploadDate: -1, _id: -1 } as const
  for await (const { _id, filename, uploadDate } of bucket.find({}, { sort: newestFirst })) {
    known.add(_id.toHexString())
    if (filename === previous) {
      const remove = (): Promise<void> => bucket.delete(_id)
      yield { what: `an earlier revision of ${filename}`, modifiedAt: uploadDate, remove }
    }
    previous = filename
  }
  for (const { _id } of written) {
    if (known.has(_id.toHexString())) continue
    const remove = async (): Promise<void> => {
      await database.collection(`${BUCKET}.chunks`).deleteMany({ files_id: _id })
    }
    const what = `chunks without a file, ${_id.toHexString()}`
    yield { what, modifiedAt: _id.getTimestamp(), remove }
  }
}

/** The newest revision of a name counts. It appears atomically, and older ones are removed afterwards. */
async function put(bucket: GridFSBucket, name: string, path: string): Promise<void> {
  assertStorageName(name)
  const id = await write(bucket, name, path)
  for (const { _id } of await revisionsOf(bucket, name)) {
    if (!_id.equals(id)) await bucket.delete(_id)
  }
}

const ATTEMPTS = 3

/**
 * The driver retries a lost reply. DocumentDB then rejects the chunk or the file as a duplicate of itself (seen in 2026),
 * so the file is written again. No other file has its id.
 */
async function write(bucket: GridFSBucket, name: string, path: string): Promise<ObjectId> {
  for (let attempt = 1; ; attempt += 1) {
    const upload = bucket.openUploadStream(name)
    try {
      await pipeline(createReadStream(path), upload)
      return upload.id
    } catch (error) {
      await bucket.delete(upload.id).catch(() => undefined) // removes its chunks, if the file does not exist yet
      if (!isDuplicateKey(error) || attempt === ATTEMPTS) throw error
    }
  }
}

/** Removes leftovers of an interrupted write under the old name first, so that none remain after the rename. */
async function rename(
  database: Pick<Database, 'collection'>,
  bucket: GridFSBucket,
  from: string,
  to: string,
): Promise<void> {
  assertStorageName(to)
  const [newest, ...earlier] = await revisionsOf(bucket, from)
  if (newest === undefined) return
  for (const { _id } of earlier) await bucket.delete(_id)
  await database
    .collection<Document & { readonly _id: ObjectId }>(`${BUCKET}.files`)
    .updateOne({ _id: newest._id, filename: from }, { $set: { filename: to } })
}

async function getFile(bucket: GridFSBucket, name: string): Promise<StoredFile | null> {
  const [newest] = await revisionsOf(bucket, name)
  if (newest === undefined) return null
  const { _id, length, uploadDate } = newest
  return {
    size: length,
    etag: `"${_id.toHexString()}"`,
    modifiedAt: uploadDate,
    // The driver's end is exclusive.
    read: (range) =>
      bucket.openDownloadStream(
        _id,
        range === undefined ? {} : { start: range.start, end: range.end + 1 },
      ),
  }
}

function revisionsOf(bucket: GridFSBucket, name: string): Promise<readonly GridFSFile[]> {
  return bucket.find({ filename: name }, { sort: { uploadDate: -1, _id: -1 } }).toArray()
}
