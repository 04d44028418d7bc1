import { join } from 'node:path'
import type { Config } from '../../base/config/config.ts'
import { openGridFsStorage } from '../../media/storage/gridfs-storage.ts'
import { openLocalStorage } from '../../media/storage/local-storage.ts'
import type { MediaStorage } from '../../media/storage/storage.ts'
import type { ExtensionRegistry } from '../../extensions/extension-registry.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { openProvided } from '../extensions/open-provided.ts'

const STORAGE_FUNCTIONS = ['put', 'rename', 'get', 'remove', 'urlOf', 'list', 'leftovers'] as const

/** Loads the SDK of S3 only if needed, because loading is slow. @throws ConfigError, ExtensionError */
export async function openStorage(
  { upload: { storage, s3 }, dataDir }: Config,
  database: Database,
  { storage: provider }: Pick<ExtensionRegistry, 'storage'>,
): Promise<MediaStorage> {
  if (provider !== null) return openProvided(provider, 'storage', STORAGE_FUNCTIONS)
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
