import { type ImageVariants, openImageVariants } from '../../media/images/image-variants.ts'
import { openImageWork } from '../../media/images/image-work.ts'
import { type MediaLibrary, openMediaLibrary } from '../../media/media-library.ts'
import { openServedFiles, type ServedFiles } from '../../media/served-files.ts'
import type { MediaStorage } from '../../media/storage/storage.ts'
import type { Base } from './open-base.ts'

export interface Media {
  readonly library: MediaLibrary
  /** Their bytes, as they are and in other sizes. */
  readonly files: ServedFiles
  readonly variants: ImageVariants
}

/** One queue for the pictures of uploads and for those that are asked for in other sizes. */
export function openMedia(
  { fileRecords: records, spoolFolder }: Base,
  storage: MediaStorage,
): Media {
  const images = openImageWork()
  const files = openServedFiles({ storage, records })
  return {
    library: openMediaLibrary({ storage, records, images }),
    files,
    variants: openImageVariants({ storage, records, files, images, spoolFolder }),
  }
}
