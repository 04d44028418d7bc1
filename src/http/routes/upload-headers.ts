import { isUtf8 } from 'node:buffer'
import {
  PayloadTooLargeError,
  PreconditionFailedError,
  shownName,
  ValidationError,
} from '../../base/errors.ts'
import { cleanName } from '../../media/file-name.ts'
import type { NewUpload } from '../../media/resumable/upload-rows.ts'
import { assertKnownParts, type StrictOptions } from '../reads/strict-request.ts'
import type { Context } from '../router/state.ts'

/** https://tus.io/protocols/resumable-upload */
export const TUS_VERSION = '1.0.0'
export const TUS_EXTENSIONS = 'creation,expiration,termination'
const CONTENT_TYPE = 'application/offset+octet-stream'

const MAX_METADATA = 8_192
const METADATA_KEYS = ['filename', 'filetype', 'fileInfo'] as const
/** Other clients send such keys by default. */
const IGNORED_KEYS = ['name', 'type', 'relativePath'] as const
const MAX_TYPE = 255
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** @throws PreconditionFailedError for another version of the protocol */
export function assertVersion(ctx: Context): void {
  ctx.set('Tus-Resumable', TUS_VERSION)
  if (ctx.get('Tus-Resumable') === TUS_VERSION) return
  ctx.set('Tus-Version', TUS_VERSION)
  throw new PreconditionFailedError(`Tus-Resumable: expected ${TUS_VERSION}`)
}

/** @throws ValidationError, PayloadTooLargeError */
export function readLength(ctx: Context, maxBytes: number): number {
  if (ctx.get('Upload-Defer-Length') !== '') {
    throw invalidHeader('Upload-Defer-Length', 'is not supported: send Upload-Length')
  }
  const length = readNumber(ctx, 'Upload-Length')
  if (length > maxBytes) throw new PayloadTooLargeError('The upload is too large')
  if (length > 0) return length
  throw new ValidationError('Files are empty', {}, { code: 'invalid_upload' })
}

/** @throws ValidationError if the request is no PATCH of tus */
export function readOffset(ctx: Context): number {
  if (ctx.is(CONTENT_TYPE) !== CONTENT_TYPE) {
    throw invalidHeader('Content-Type', `expected ${CONTENT_TYPE}`)
  }
  if (!['', 'identity'].includes(ctx.get('Content-Encoding'))) {
    throw invalidHeader('Content-Encoding', 'is not supported for uploads')
  }
  return readNumber(ctx, 'Upload-Offset')
}

type DescribedFile = Pick<NewUpload, 'metadata' | 'name' | 'type' | 'fileInfo'> & {
  readonly folder: string | null
}

/**
 * @param takesFolder otherwise `folder` is an unknown key
 * @throws ValidationError that names the key
 */
export function readMetadata(
  ctx: Context,
  api: StrictOptions,
  takesFolder: boolean,
): DescribedFile {
  const metadata = ctx.get('Upload-Metadata')
  if (metadata.length > MAX_METADATA) {
    throw invalidHeader('Upload-Metadata', `is longer than ${MAX_METADATA} characters`)
  }
  const values = parsePairs(metadata)
  const keys = [...METADATA_KEYS, ...IGNORED_KEYS, ...(takesFolder ? ['folder'] : [])]
  assertKnownParts(values.keys(), api, keys, 'Upload-Metadata')
  return {
    metadata,
    name: cleanName(values.get('filename') ?? ''),
    type: (values.get('filetype') ?? '').slice(0, MAX_TYPE),
    fileInfo: values.get('fileInfo') ?? null,
    folder: takesFolder ? (values.get('folder') ?? null) : null,
  }
}

function parsePairs(metadata: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const pair of metadata.trim() === '' ? [] : metadata.split(',')) {
    const [key = '', value = '', ...more] = pair.trim().split(' ')
    if (key === '' || more.length > 0 || values.has(key)) {
      throw invalidHeader('Upload-Metadata', `${shownName(key)}: expected each key once`)
    }
    values.set(key, decode(key, value))
  }
  return values
}

function decode(key: string, value: string): string {
  const bytes = Buffer.from(value, 'base64')
  if (BASE64.test(value) && isUtf8(bytes)) return bytes.toString()
  throw invalidHeader('Upload-Metadata', `${shownName(key)}: expected UTF-8 in Base64`)
}

function readNumber(ctx: Context, header: string): number {
  const text = ctx.get(header)
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalidHeader(header, 'expected a number of bytes')
}

function invalidHeader(header: string, reason: string): ValidationError {
  return new ValidationError(`${header}: ${reason}`, { header }, { code: 'invalid_header' })
}
