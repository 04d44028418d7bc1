import { type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { ServiceUnavailableError } from '../../base/errors.ts'
import { isInlineType, typeOfExtension } from '../media-types.ts'
import { isPrivateName } from '../private-names.ts'
import { assertStorageName } from './storage.ts'

export interface Bucket {
  readonly client: S3Client
  readonly bucket: string
  readonly keyPrefix: string
}

/** Private files have a prefix of their own, because a bucket policy may open the other one to everyone. */
export const PRIVATE_PREFIX = 'private/'

export function storedObject(
  { bucket, keyPrefix }: Bucket,
  name: string,
): { Bucket: string; Key: string } {
  assertStorageName(name)
  const prefix = isPrivateName(name) ? PRIVATE_PREFIX : ''
  return { Bucket: bucket, Key: `${prefix}${keyPrefix}${name}` }
}

export interface ObjectHeaders {
  readonly ContentType: string
  readonly CacheControl: string
  readonly ContentDisposition?: 'attachment'
}

/** The bucket may serve an object without the headers of this server. */
export function headersOf(name: string): ObjectHeaders {
  const type = typeOfExtension(/\.\w+$/.exec(name)?.[0] ?? '') ?? 'application/octet-stream'
  const isSafe = isInlineType(type) && type !== 'image/svg+xml'
  return {
    ContentType: type,
    CacheControl: isPrivateName(name) ? 'private, no-cache' : 'public, no-cache',
    ...(!isSafe && { ContentDisposition: 'attachment' }),
  }
}

export async function asStorageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const status = statusOfS3(error)
    const isOutage = isOfNetwork(error) || (status !== null && status >= 500)
    if (!isOutage) throw error
    throw new ServiceUnavailableError(
      'The file storage does not respond',
      {},
      { cause: error, code: 'storage_unreachable' },
    )
  }
}

export async function* eachAsStorageErrors<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  for (;;) {
    const next = await asStorageErrors(() => source.next())
    if (next.done === true) return
    yield next.value
  }
}

export function statusOfS3(error: unknown): number | null {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null
}

function isOfNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.name === 'TimeoutError') return true
  const code = 'code' in error ? String(error.code) : ''
  return ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN'].includes(
    code,
  )
}
