import Joi from 'joi'
import { ValidationError } from '../../base/errors.ts'
import type { DocumentContext } from '../../content/context.ts'
import { prepareDirect, receiveDirect } from '../../media/receive-direct.ts'
import type { ReceiveOptions, Upload } from '../../media/receive-upload.ts'
import type { DirectUploads } from '../../media/storage/storage.ts'
import { readInput } from '../../people/access/input.ts'
import { payloadOf } from '../body/read-request.ts'
import { assertKnownBody, type StrictOptions } from '../reads/strict-request.ts'
import type { Context } from '../router/state.ts'

export interface DirectUploadDependencies {
  readonly api: StrictOptions
  readonly documents: Pick<DocumentContext, 'now'>
  readonly media: {
    readonly receive: ReceiveOptions
    /** Null if the storage takes no uploads of clients. */
    readonly direct: DirectUploads | null
  }
}

interface Completion {
  readonly key: string
  readonly name: string
  readonly fileInfo?: object
  readonly ref?: string
  readonly refId?: string
  readonly field?: string
}

const COMPLETION = Joi.object<Completion>({
  key: Joi.string().max(64).required(),
  name: Joi.string().max(1_000).required(),
  fileInfo: Joi.object(),
  ref: Joi.string(),
  refId: Joi.string(),
  field: Joi.string(),
})

export async function sendForm(
  ctx: Context,
  { api, documents, media: { direct, receive } }: DirectUploadDependencies,
): Promise<void> {
  assertKnownBody(ctx, api, [])
  const terms = { maxBytes: receive.maxBytes, now: documents.now() }
  ctx.body = await prepareDirect(requireDirect(direct), terms)
  ctx.set('Cache-Control', 'private, no-store')
}

/** `store` gets the upload as a multipart request would bring it. */
export function receiveForm<T>(
  ctx: Context,
  { media: { direct, receive } }: DirectUploadDependencies,
  store: (upload: Upload) => Promise<T>,
): Promise<T> {
  const storage = requireDirect(direct)
  const { key, name, fileInfo, ...attached } = readInput(COMPLETION, payloadOf(ctx))
  const fields = new Map(Object.entries(attached).map(([field, value]) => [field, [value]]))
  if (fileInfo !== undefined) fields.set('fileInfo', [JSON.stringify(fileInfo)])
  return receiveDirect(storage, { key, name, ...receive }, async (upload) => {
    await ctx.state.authorizeAgain?.() // the check of a large image may outlast the token
    return store({ ...upload, fields })
  })
}

function requireDirect(direct: DirectUploads | null): DirectUploads {
  if (direct !== null) return direct
  throw new ValidationError(
    'Direct uploads need a bucket: UPLOAD_STORAGE=s3',
    {},
    { code: 'invalid_upload' },
  )
}
