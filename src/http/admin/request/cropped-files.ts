import { PreconditionFailedError } from '../../../base/errors.ts'
import type { CropArea, Size } from '../../../media/crop-area.ts'
import { revisionOfFile } from '../../../media/file-records.ts'
import type { MediaFile } from '../../../media/media-library.ts'
import { uploadsPath } from '../../../media/storage/storage.ts'
import { plainName } from '../../../media/stored-names.ts'
import { pluginAction } from '../../../people/access/actions.ts'
import { may } from '../../../people/access/permissions.ts'
import { readMatch } from '../../answer/entity-tag.ts'
import type { Context } from '../../router/state.ts'

export interface ShownOriginal extends Size {
  /** Expires, as the address of a private file does. */
  readonly url: string
  readonly crop: CropArea | null
}

/** The uncropped picture, for callers that may change the crop. Undefined for other files. */
export async function showOriginal(
  { state }: Context,
  { original }: MediaFile,
): Promise<ShownOriginal | undefined> {
  const mayCrop = may(state.principal, pluginAction('plugin::upload.content-api', 'upload'))
  if (!original || !mayCrop) return undefined
  const path = uploadsPath(plainName(original))
  const { width, height, crop } = original
  return { url: (await state.addresses?.sign(path)) ?? path, width, height, crop }
}

/** @throws PreconditionFailedError if `If-Match` names another revision */
export function assertMatch(ctx: Context, record: MediaFile): void {
  const match = readMatch(ctx)
  const revision = revisionOfFile(record)
  if (match === null || match === '*' || match.has(revision)) return
  throw new PreconditionFailedError('If-Match: the file has changed since it was read', revision)
}
