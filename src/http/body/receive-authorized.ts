import { ValidationError } from '../../base/errors.ts'
import { type ReceiveOptions, receiveUpload, type Upload } from '../../media/receive-upload.ts'
import type { Context } from '../router/state.ts'

/**
 * Authorizes the caller again before storing, because a slow upload may outlast its token.
 * @throws UnauthorizedError, ForbiddenError
 */
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

export function isMultipart(ctx: Context): boolean {
  return typeof ctx.is('multipart/form-data') === 'string'
}

export function noFiles(): ValidationError {
  return new ValidationError('Files are empty', {}, { code: 'invalid_upload' })
}
