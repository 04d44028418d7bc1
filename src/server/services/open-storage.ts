import { join } from 'node:path'
import type { Config } from '../../base/config/config.ts'
import { openGridFsStorage } from '../../media/storage/gridfs-storage.ts'
import { openLocalStorage } from '../../media/storage/local-storage.ts'
import type { MediaStorage } from '../../media/storage/storage.ts'
import type { Database } from '../../mongo/connection/database.ts'

/**
 * Opens the storage of files. Loads the SDK of S3 only if needed, because loading is slow.
 * @throws ConfigError if the bucket is unreachable.
 */
export async function openStorage(
  { upload: { storage, s3 }, dataDir }: Config,
  database: Database,
): Promise<MediaStorage> {
  switch (storage) {
    case 'local':
      return openLocalStorage(join(dataDir, 'uploads'))
    case 'gridfs':
      return openGridFsStorage(database)
    case 's3': {
      if (s3 === null) throw new Error('readConfig gives what s3 needs')
      const { openS3Storage } = await import('../../media/storage/s3-storage.ts')
      return openS3Storage(s3)
    }
  }
}
