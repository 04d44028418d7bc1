import { documentIdFrom } from '@quire/schema/derived-id'
import type { MediaFile, MediaLibrary } from '../../media/media-library.ts'
import type { Upload } from '../../media/receive-upload.ts'
import { uploaderOf } from '../../people/access/private-files.ts'
import { invalidKey, readIdempotencyKey } from '../content/idempotency-key.ts'
import type { Context } from '../router/state.ts'

/**
 * The documentId of an upload with an `Idempotency-Key`, which clients derive themselves to refer to a file before they
 * send it. Null without the header.
 * @throws ValidationError for callers without an identity, who would share their keys
 */
export function readUploadId(ctx: Context): string | null {
  const key = readIdempotencyKey(ctx)
  if (key === null) return null
  const uploader = uploaderOf(ctx.state.principal)
  if (uploader === null) throw invalidKey('uploads need a user, an administrator or an API token')
  return documentIdFrom('f', `file:${uploader}:${key}`)
}

/**
 * Stores the file of an upload, or returns the file that an earlier request with the same id has stored.
 * @throws ValidationError unless the upload has one file and no `ref`; ConflictError for a file in the trash
 */
export async function storeOnce(
  ctx: Context,
  library: Pick<MediaLibrary, 'get'>,
  documentId: string,
  {
    received,
    store,
  }: { readonly received: Upload; readonly store: () => Promise<readonly MediaFile[]> },
): Promise<readonly MediaFile[]> {
  // A kill between the file and its attachment would leave the file alone, and a retry would not attach it.
  if (received.files.length > 1 || received.fields.has('ref')) {
    throw invalidKey('expected an upload of one file without ref')
  }
  const earlier = await library.get(documentId)
  if (earlier !== null) return replay(ctx, earlier)
  try {
    return await store()
  } catch (error) {
    const faster = await library.get(documentId)
    if (faster === null) throw error
    return replay(ctx, faster)
  }
}

function replay(ctx: Context, file: MediaFile): readonly MediaFile[] {
  ctx.set('Idempotency-Replayed', 'true')
  return [file]
}
