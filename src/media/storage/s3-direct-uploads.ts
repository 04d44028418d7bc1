import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { Readable } from 'node:stream'
import type { S3Config } from '../../base/config/sections.ts'
import { PreconditionFailedError } from '../../base/errors.ts'
import { asStorageErrors, type Bucket, headersOf, storedObject, statusOfS3 } from './s3-bucket.ts'
import { signPolicy } from './sign-policy.ts'
import type { ByteRange, DirectUploads, Leftover, StoredFile } from './storage.ts'

/** A lifecycle rule of the bucket deletes the objects below it after a day. */
const INCOMING = 'incoming/'

export function openDirectUploads(bucket: Bucket, config: S3Config): DirectUploads {
  const { client } = bucket
  const incoming = (key: string): { Bucket: string; Key: string } => {
    return { Bucket: bucket.bucket, Key: `${incomingPrefix(bucket)}${key}` }
  }
  return {
    form: async (key, { maxBytes, now, expires }) => {
      const { Bucket: name, Key } = incoming(key)
      const credentials = await client.config.credentials()
      const fields = signPolicy({
        bucket: name,
        key: Key,
        maxBytes,
        now,
        expires,
        region: config.region,
        credentials,
      })
      return { url: formAddress(config), fields }
    },
    get: (key) => asStorageErrors(() => getIncoming(bucket, incoming(key))),
    take: (key, etag, name) =>
      asStorageErrors(async () => {
        const { Bucket: from, Key } = incoming(key)
        const source = [from, ...Key.split('/')].map(encodeURIComponent).join('/')
        const copy = new CopyObjectCommand({
          ...storedObject(bucket, name),
          CopySource: source,
          CopySourceIfMatch: etag,
          MetadataDirective: 'REPLACE',
          ...headersOf(name),
        })
        await client.send(copy).catch((error: unknown) => {
          throw statusOfS3(error) === 412 ? changedMeanwhile() : error
        })
      }),
    remove: (key) =>
      asStorageErrors(async () => {
        await client.send(new DeleteObjectCommand(incoming(key)))
      }),
  }
}

/** Uploads that no client has completed. */
export async function* incomingLeftovers(bucket: Bucket): AsyncGenerator<Leftover> {
  const { client, bucket: name } = bucket
  const pages = paginateListObjectsV2({ client }, { Bucket: name, Prefix: incomingPrefix(bucket) })
  for await (const { Contents = [] } of pages) {
    for (const { Key = '', LastModified } of Contents) {
      const remove = async (): Promise<void> => {
        await client.send(new DeleteObjectCommand({ Bucket: name, Key }))
      }
      yield { what: `a direct upload, ${Key}`, modifiedAt: LastModified ?? new Date(0), remove }
    }
  }
}

function incomingPrefix({ keyPrefix }: Pick<Bucket, 'keyPrefix'>): string {
  return `${INCOMING}${keyPrefix}`
}

function formAddress({ bucket, endpoint, region, forcePathStyle }: S3Config): string {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  if (!forcePathStyle) url.hostname = `${bucket}.${url.hostname}`
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path}${forcePathStyle ? `/${bucket}` : '/'}`
}

async function getIncoming(
  { client }: Bucket,
  object: { readonly Bucket: string; readonly Key: string },
): Promise<StoredFile | null> {
  try {
    const {
      ContentLength,
      ETag = '',
      LastModified,
    } = await client.send(new HeadObjectCommand(object))
    const read = async function* (range: ByteRange | undefined): AsyncGenerator<Uint8Array> {
      const get = new GetObjectCommand({
        ...object,
        IfMatch: ETag,
        ...(range !== undefined && { Range: `bytes=${range.start}-${range.end}` }),
      })
      const { Body } = await client.send(get).catch((error: unknown) => {
        throw statusOfS3(error) === 412 ? changedMeanwhile() : error
      })
      if (Body instanceof Readable) yield* Body as AsyncIterable<Uint8Array>
    }
    return {
      size: ContentLength ?? 0,
      etag: ETag,
      modifiedAt: LastModified ?? new Date(0),
      read: (range) => Readable.from(read(range), { objectMode: false }),
    }
  } catch (error) {
    if (statusOfS3(error) === 404) return null
    throw error
  }
}

function changedMeanwhile(): PreconditionFailedError {
  return new PreconditionFailedError('The upload was changed after it had been checked')
}
