import { type ImageVariants, openImageVariants } from '../../media/images/image-variants.ts'
import { openImageWork } from '../../media/images/image-work.ts'
import { type MediaLibrary, openMediaLibrary } from '../../media/media-library.ts'
import { openServedFiles, type ServedFiles } from '../../media/served-files.ts'
import type { MediaStorage } from '../../media/storage/storage.ts'
import { openRetiredFiles, type RetiredFiles } from '../../media/retired-files.ts'
import type { Base } from './open-base.ts'

export interface Media {
  readonly library: MediaLibrary
  readonly files: ServedFiles
  readonly variants: ImageVariants
  readonly retired: RetiredFiles
}

/** Uploads and resized images share one queue. */
export function openMedia(
  { fileRecords: records, spoolFolder, database, documents: { now } }: Base,
  storage: MediaStorage,
): Media {
  const images = openImageWork()
  const retired = openRetiredFiles(database, storage, now)
  const files = openServedFiles({ storage, records })
  return {
    library: openMediaLibrary({ storage, records, images, retired, spoolFolder }),
    files,
    retired,
    variants: openImageVariants({ storage, records, files, images, spoolFolder }),
  }
}
