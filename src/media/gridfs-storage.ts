import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { GridFSBucket, GridFSFile } from 'mongodb'
import type { Database } from '../mongo/database.ts'
import { isStorageName, type MediaStorage, type StoredFile } from './storage.ts'

const BUCKET = 'quire_uploads'

/** Files in the database, in chunks: for several nodes that share nothing else. */
export function openGridFsStorage(database: Pick<Database, 'bucket'>): MediaStorage {
  const bucket = database.bucket(BUCKET)
  return {
    provider: 'gridfs',
    put: (name, path) => put(bucket, name, path),
    get: (name) => getFile(bucket, name),
    remove: async (name) => {
      for (const { _id } of await revisionsOf(bucket, name)) await bucket.delete(_id)
    },
  }
}

/** The newest of a name is what it holds: it is there in one step, and those before it go afterwards. */
async function put(bucket: GridFSBucket, name: string, path: string): Promise<void> {
  if (!isStorageName(name)) throw new Error(`${JSON.stringify(name)} is no name of a stored file`)
  const upload = bucket.openUploadStream(name)
  try {
    await pipeline(createReadStream(path), upload)
  } catch (error) {
    await bucket.delete(upload.id).catch(() => undefined) // chunks of it; there is no file yet
    throw error
  }
  for (const { _id } of await revisionsOf(bucket, name)) {
    if (!_id.equals(upload.id)) await bucket.delete(_id)
  }
}

async function getFile(bucket: GridFSBucket, name: string): Promise<StoredFile | null> {
  const [newest] = await revisionsOf(bucket, name)
  if (newest === undefined) return null
  const { _id, length, uploadDate } = newest
  return {
    size: length,
    etag: `"${_id.toHexString()}"`,
    modifiedAt: uploadDate,
    // The driver's end is the first byte that is left out.
    read: (range) =>
      bucket.openDownloadStream(
        _id,
        range === undefined ? {} : { start: range.start, end: range.end + 1 },
      ),
  }
}

/** Newest first. */
function revisionsOf(bucket: GridFSBucket, name: string): Promise<readonly GridFSFile[]> {
  return bucket.find({ filename: name }, { sort: { uploadDate: -1, _id: -1 } }).toArray()
}
