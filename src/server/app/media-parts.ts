import type { Config } from '../../base/config/config.ts'
import type { ServedUploads } from '../../http/routes/serve-uploads.ts'
import type { FileTrash } from '../../media/file-trash.ts'
import type { UploadRouteDependencies } from '../../http/routes/upload-routes.ts'
import type { Services } from '../services/open-services.ts'

export interface MediaParts extends Pick<
  UploadRouteDependencies['media'],
  'library' | 'receive' | 'direct' | 'resumable'
> {
  readonly served: ServedUploads
  readonly trash: FileTrash
}

export function mediaOf(
  { cache, upload }: Config,
  {
    media: { library, files, variants, trash, resumable },
    addresses,
    spoolFolder,
    storage,
  }: Services,
): MediaParts {
  return {
    library,
    trash,
    receive: { spoolFolder, maxBytes: upload.maxUploadBytes },
    direct: storage.direct ?? null,
    resumable,
    served: { files, variants, rules: upload.images, addresses, cacheTags: cache.tags },
  }
}
