import { ValidationError } from '../../base/errors.ts'
import { type ReceiveOptions, receiveUpload, type Upload } from '../../media/receive-upload.ts'
import type { MediaFile } from '../../media/media-library.ts'
import { maySeePrivateFile } from '../../people/access/private-files.ts'
import type { Context } from '../router/state.ts'

/** Authorizes the caller again before storing, because a slow upload may outlast its token. */
export function receiveAuthorized<T>(
  { req, state }: Context,
  options: ReceiveOptions,
  store: (upload: Upload) => Promise<T>,
): Promise<T> {
  return receiveUpload(req, options, async (upload) => {
    await state.authorizeAgain?.()
    return store(upload)
  })
}

/** Private files that the caller may not see are treated as missing. */
export function isHiddenFile({ state }: Context, file: MediaFile): boolean {
  return file.private === true && !maySeePrivateFile(state.principal, file)
}

export function isMultipart(ctx: Context): boolean {
  return typeof ctx.is('multipart/form-data') === 'string'
}

export function noFiles(): ValidationError {
  return new ValidationError('Files are empty', {}, { code: 'invalid_upload' })
}
