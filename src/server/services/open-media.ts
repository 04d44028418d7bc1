import type { MediaStores } from '../../media/check-media.ts'
import { type ImageVariants, openImageVariants } from '../../media/images/image-variants.ts'
import { openImageWork } from '../../media/images/image-work.ts'
import { type MediaLibrary, openMediaLibrary } from '../../media/media-library.ts'
import { type FileTrash, openFileTrash } from '../../media/file-trash.ts'
import { openTrashMoves } from '../../media/trash-moves.ts'
import {
  openResumableUploads,
  type ResumableUploads,
} from '../../media/resumable/resumable-uploads.ts'
import { openServedFiles, type ServedFiles } from '../../media/served-files.ts'
import type { MediaStorage } from '../../media/storage/storage.ts'
import { openRetiredFiles, type RetiredFiles } from '../../media/retired-files.ts'
import type { Base } from './open-base.ts'

export interface Media {
  readonly library: MediaLibrary
  readonly files: ServedFiles
  readonly variants: ImageVariants
  readonly retired: RetiredFiles
  readonly trash: FileTrash
  readonly resumable: ResumableUploads
}

/** Uploads and resized images share one queue. */
export async function openMedia(
  { fileRecords: records, fileType: plan, spoolFolder, database, documents: { now } }: Base,
  storage: MediaStorage,
): Promise<Media> {
  const images = openImageWork()
  const retired = openRetiredFiles(database, storage, now)
  const moves = openTrashMoves({ db: database, storage, records })
  const trash = openFileTrash({ database, plan, storage, moves, now })
  const files = openServedFiles({ storage, records })
  return {
    library: openMediaLibrary({ storage, records, images, retired, trash, spoolFolder }),
    files,
    retired,
    trash,
    resumable: await openResumableUploads({ database, storage, spoolFolder, now }),
    variants: openImageVariants({ storage, records, files, images, spoolFolder }),
  }
}

/** The parts that `quire media check` compares. */
export async function openMediaStores(base: Base): Promise<MediaStores> {
  const { database, fileRecords: records, spoolFolder } = base
  const storage = await base.storage()
  const { now } = base.documents
  return {
    storage,
    records,
    moves: openTrashMoves({ db: database, storage, records }),
    resumable: await openResumableUploads({ database, storage, spoolFolder, now }),
    spoolFolder,
  }
}
