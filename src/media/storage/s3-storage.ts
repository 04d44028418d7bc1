import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { S3Config } from '../../base/config/sections.ts'
import { ConfigError, NotImplementedError, ServiceUnavailableError } from '../../base/errors.ts'
import { isInlineType, typeOfExtension } from '../media-types.ts'
import {
  assertStorageName,
  type ByteRange,
  isStorageName,
  type Leftover,
  type MediaStorage,
  type StoredFile,
  type StoredName,
  uploadsPath,
} from './storage.ts'

interface Bucket {
  readonly client: S3Client
  readonly bucket: string
  readonly keyPrefix: string
}

/** S3 requires at least 5 MiB per part and allows 10,000 parts. */
const PART_BYTES = 5_242_880
const MAX_PARTS = 10_000
/** Parts of a file in memory at a time. Two would take 70 MB for a file of 1 GB. */
const CONCURRENT_PARTS = 1

/** @throws ConfigError with the reason if the bucket cannot be reached */
export async function openS3Storage(options: S3Config): Promise<MediaStorage> {
  const { bucket: name, keyPrefix, publicUrl } = options
  const client = openClient(options)
  try {
    await client.send(new HeadBucketCommand({ Bucket: name }))
  } catch (error) {
    client.destroy()
    throw new ConfigError([whyUnreachable(error, options)])
  }
  const bucket = { client, bucket: name, keyPrefix }
  return {
    provider: 's3',
    put: (name, path) => told(() => put(bucket, name, path)),
    rename: (from, to) => told(() => rename(bucket, from, to)),
    get: (name) =>
      isStorageName(name) ? told(() => getFile(bucket, name)) : Promise.resolve(null),
    remove: (name) =>
      told(async () => {
        await client.send(new DeleteObjectCommand(objectOf(bucket, name)))
      }),
    urlOf: (name) => (publicUrl === null ? uploadsPath(name) : `${publicUrl}/${keyPrefix}${name}`),
    list: () => toldEach(list(bucket)),
    leftovers: () => toldEach(leftovers(bucket)),
  }
}

function openClient({ region, endpoint, credentials, forcePathStyle }: S3Config): S3Client {
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== null && { endpoint }),
    // A copy, because the SDK writes their source into the object.
    ...(credentials !== null && { credentials: { ...credentials } }),
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 60_000 },
    // Other services do not support the checksums that SDK 3.729 and later adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}

/** One line for the operator. The service sends no message for HEAD. */
function whyUnreachable(error: unknown, { bucket, endpoint, region }: S3Config): string {
  const where = endpoint ?? `AWS (${region})`
  const status = statusOf(error)
  if (status === 404) return `S3_BUCKET: there is no bucket ${bucket} at ${where}`
  if (status === 401 || status === 403) {
    return `S3_ACCESS_KEY_ID: ${where} refuses these credentials for the bucket ${bucket}`
  }
  if (status === 301 || status === 400) {
    return `S3_REGION: the bucket ${bucket} cannot be used in ${region}; ${where} answers ${status}`
  }
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  if (error instanceof Error && error.name === 'CredentialsProviderError') {
    return `S3_ACCESS_KEY_ID: there are no credentials: ${error.message}`
  }
  return `S3_ENDPOINT: ${where} cannot be reached: ${why}`
}

/** A file becomes visible atomically with its last part. A failed upload removes its parts. */
async function put(bucket: Bucket, name: string, path: string): Promise<void> {
  const object = objectOf(bucket, name)
  const type = typeOfExtension(/\.\w+$/.exec(name)?.[0] ?? '') ?? 'application/octet-stream'
  const isSafe = isInlineType(type) && type !== 'image/svg+xml' // it may be served without our headers
  const { size } = await stat(path)
  const upload = new Upload({
    client: bucket.client,
    params: {
      ...object,
      Body: createReadStream(path, { highWaterMark: 262_144 }),
      ContentType: type,
      CacheControl: 'public, no-cache',
      ...(!isSafe && { ContentDisposition: 'attachment' }),
    },
    partSize: Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS)),
    queueSize: CONCURRENT_PARTS,
    leavePartsOnError: false,
  })
  await upload.done()
}

/** The service copies up to 5 GB. The old name is removed afterwards. */
async function rename(bucket: Bucket, from: string, to: string): Promise<void> {
  const source = objectOf(bucket, from)
  const path = [source.Bucket, ...source.Key.split('/')].map(encodeURIComponent).join('/')
  try {
    await bucket.client.send(new CopyObjectCommand({ ...objectOf(bucket, to), CopySource: path }))
  } catch (error) {
    if (statusOf(error) === 404 && (await getFile(bucket, from)) === null) return
    throw error
  }
  await bucket.client.send(new DeleteObjectCommand(source))
}

async function getFile(bucket: Bucket, name: string): Promise<StoredFile | null> {
  const object = objectOf(bucket, name)
  try {
    const { ContentLength, ETag, LastModified } = await bucket.client.send(
      new HeadObjectCommand(object),
    )
    const etag = ETag ?? ''
    return {
      size: ContentLength ?? 0,
      etag,
      modifiedAt: LastModified ?? new Date(0),
      read: (range) => Readable.from(bytesOf(bucket, name, etag, range), { objectMode: false }),
    }
  } catch (error) {
    if (statusOf(error) === 404) return null
    throw error
  }
}

/** Reads exactly these bytes. A concurrent replacement is an error instead of a mixture. */
async function* bytesOf(
  bucket: Bucket,
  name: string,
  etag: string,
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array> {
  const { Body } = await bucket.client.send(
    new GetObjectCommand({
      ...objectOf(bucket, name),
      IfMatch: etag,
      ...(range !== undefined && { Range: `bytes=${range.start}-${range.end}` }),
    }),
  )
  if (Body instanceof Readable) yield* Body as AsyncIterable<Uint8Array>
}

async function* list({ client, bucket, keyPrefix }: Bucket): AsyncGenerator<StoredName> {
  const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: keyPrefix })
  for await (const { Contents = [] } of pages) {
    for (const { Key = '', LastModified } of Contents) {
      const name = Key.slice(keyPrefix.length)
      if (isStorageName(name)) yield { name, modifiedAt: LastModified ?? new Date(0) }
    }
  }
}

async function* leftovers({ client, bucket, keyPrefix }: Bucket): AsyncGenerator<Leftover> {
  let after: { KeyMarker?: string; UploadIdMarker?: string } | null = {}
  while (after !== null) {
    const page: ListMultipartUploadsCommandOutput = await client
      .send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: keyPrefix, ...after }))
      .catch((error: unknown) => {
        if (![405, 501].includes(statusOf(error) ?? 0)) throw error
        throw new NotImplementedError('The service does not list uploads in parts')
      })
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === undefined || !isStorageName(Key.slice(keyPrefix.length))) continue
      const remove = async (): Promise<void> => {
        await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }))
      }
      yield { what: `parts of ${Key}`, modifiedAt: Initiated ?? new Date(0), remove }
    }
    const { NextKeyMarker, NextUploadIdMarker } = page
    after =
      page.IsTruncated === true && NextKeyMarker !== undefined
        ? {
            KeyMarker: NextKeyMarker,
            ...(NextUploadIdMarker !== undefined && { UploadIdMarker: NextUploadIdMarker }),
          }
        : null
  }
}

function objectOf({ bucket, keyPrefix }: Bucket, name: string): { Bucket: string; Key: string } {
  assertStorageName(name)
  return { Bucket: bucket, Key: `${keyPrefix}${name}` }
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const status = statusOf(error)
    const isOutage = isOfNetwork(error) || (status !== null && status >= 500)
    if (!isOutage) throw error
    throw new ServiceUnavailableError(
      'The file storage does not respond',
      {},
      { cause: error, code: 'storage_unreachable' },
    )
  }
}

async function* toldEach<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  for (;;) {
    const next = await told(() => source.next())
    if (next.done === true) return
    yield next.value
  }
}

function statusOf(error: unknown): number | null {
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
