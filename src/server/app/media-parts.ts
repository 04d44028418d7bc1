import type { Config } from '../../base/config/config.ts'
import type { ServedUploads } from '../../http/routes/serve-uploads.ts'
import type { UploadRouteDependencies } from '../../http/routes/upload-routes.ts'
import type { Services } from '../services/open-services.ts'

export interface MediaParts extends Pick<
  UploadRouteDependencies['media'],
  'library' | 'receive' | 'direct'
> {
  readonly served: ServedUploads
}

export function mediaOf(
  { upload }: Config,
  { media: { library, files, variants }, addresses, spoolFolder, storage }: Services,
): MediaParts {
  return {
    library,
    receive: { spoolFolder, maxBytes: upload.maxUploadBytes },
    direct: storage.direct ?? null,
    served: { files, variants, rules: upload.images, addresses },
  }
}
