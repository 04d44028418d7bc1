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
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Config } from '../../base/config/sections.ts'
import { ConfigError, NotImplementedError } from '../../base/errors.ts'
import {
  type ByteRange,
  isStorageName,
  type Leftover,
  type MediaStorage,
  type SignedPeriod,
  type StoredFile,
  type StoredName,
  uploadsPath,
} from './storage.ts'
import {
  asStorageErrors,
  type Bucket,
  eachAsStorageErrors,
  headersOf,
  storedObject,
  PRIVATE_PREFIX,
  statusOfS3,
} from './s3-bucket.ts'
import { incomingLeftovers, openDirectUploads } from './s3-direct-uploads.ts'

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
    put: (name, path) => asStorageErrors(() => put(bucket, name, path)),
    maxRenameBytes: MAX_COPIED_BYTES,
    rename: (from, to) => asStorageErrors(() => rename(bucket, from, to)),
    get: (name) =>
      isStorageName(name) ? asStorageErrors(() => getFile(bucket, name)) : Promise.resolve(null),
    remove: (name) =>
      asStorageErrors(async () => {
        await client.send(new DeleteObjectCommand(storedObject(bucket, name)))
      }),
    urlOf: (name) => (publicUrl === null ? uploadsPath(name) : `${publicUrl}/${keyPrefix}${name}`),
    // Without a public address, clients may be unable to reach the bucket.
    ...(publicUrl !== null && { presign: (name, period) => presign(bucket, name, period) }),
    direct: openDirectUploads(bucket, options),
    list: () => eachAsStorageErrors(list(bucket)),
    leftovers: () => eachAsStorageErrors(leftovers(bucket)),
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

function whyUnreachable(error: unknown, { bucket, endpoint, region }: S3Config): string {
  const where = endpoint ?? `AWS (${region})`
  const status = statusOfS3(error)
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
  const object = storedObject(bucket, name)
  const { size } = await stat(path)
  const upload = new Upload({
    client: bucket.client,
    params: {
      ...object,
      Body: createReadStream(path, { highWaterMark: 262_144 }),
      ...headersOf(name),
    },
    partSize: Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS)),
    queueSize: CONCURRENT_PARTS,
    leavePartsOnError: false,
  })
  await upload.done()
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html */
const MAX_COPIED_BYTES = 5_000_000_000

/** The service copies up to `MAX_COPIED_BYTES`. The old name is removed afterwards. */
async function rename(bucket: Bucket, from: string, to: string): Promise<void> {
  const source = storedObject(bucket, from)
  const path = [source.Bucket, ...source.Key.split('/')].map(encodeURIComponent).join('/')
  try {
    await bucket.client.send(
      new CopyObjectCommand({ ...storedObject(bucket, to), CopySource: path }),
    )
  } catch (error) {
    if (statusOfS3(error) === 404 && (await getFile(bucket, from)) === null) return
    throw error
  }
  await bucket.client.send(new DeleteObjectCommand(source))
}

async function getFile(bucket: Bucket, name: string): Promise<StoredFile | null> {
  const object = storedObject(bucket, name)
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
    if (statusOfS3(error) === 404) return null
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
      ...storedObject(bucket, name),
      IfMatch: etag,
      ...(range !== undefined && { Range: `bytes=${range.start}-${range.end}` }),
    }),
  )
  if (Body instanceof Readable) yield* Body as AsyncIterable<Uint8Array>
}

async function* list({ client, bucket, keyPrefix }: Bucket): AsyncGenerator<StoredName> {
  for (const prefix of prefixesOf(keyPrefix)) yield* listBelow({ client, bucket }, prefix)
}

async function* listBelow(
  { client, bucket }: Pick<Bucket, 'client' | 'bucket'>,
  prefix: string,
): AsyncGenerator<StoredName> {
  const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })
  for await (const { Contents = [] } of pages) {
    for (const { Key = '', LastModified } of Contents) {
      const name = Key.slice(prefix.length)
      if (isStorageName(name)) yield { name, modifiedAt: LastModified ?? new Date(0) }
    }
  }
}

function prefixesOf(keyPrefix: string): readonly string[] {
  return [keyPrefix, `${PRIVATE_PREFIX}${keyPrefix}`]
}

/** The signature starts at `from`, so that its text stays the same until then. */
function presign(bucket: Bucket, name: string, { from, expires }: SignedPeriod): Promise<string> {
  const command = new GetObjectCommand({
    ...storedObject(bucket, name),
    ResponseCacheControl: 'private, no-cache',
  })
  const expiresIn = Math.round((expires.getTime() - from.getTime()) / 1_000)
  return getSignedUrl(bucket.client, command, { signingDate: from, expiresIn })
}

async function* leftovers(bucket: Bucket): AsyncGenerator<Leftover> {
  for (const prefix of prefixesOf(bucket.keyPrefix)) yield* leftoversBelow(bucket, prefix)
  yield* incomingLeftovers(bucket)
}

async function* leftoversBelow(
  { client, bucket }: Bucket,
  keyPrefix: string,
): AsyncGenerator<Leftover> {
  let after: { KeyMarker?: string; UploadIdMarker?: string } | null = {}
  while (after !== null) {
    const page: ListMultipartUploadsCommandOutput = await client
      .send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: keyPrefix, ...after }))
      .catch((error: unknown) => {
        if (![405, 501].includes(statusOfS3(error) ?? 0)) throw error
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
