import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { NotFoundError, PayloadTooLargeError, ValidationError } from '../base/errors.ts'
import { detectType, HEAD_BYTES } from './detect-type.ts'
import { cleanName } from './file-name.ts'
import type { ReceivedFile, Upload } from './receive-upload.ts'
import { withSpoolFolder } from './spool-folder.ts'
import type { DirectUploads, StoredFile, UploadForm } from './storage/storage.ts'

export interface DirectForm extends UploadForm {
  /** Names the upload when it is completed. */
  readonly key: string
  readonly maxBytes: number
  readonly expires: string
}

const FORM_MS = 15 * 60_000

export async function prepareDirect(
  direct: DirectUploads,
  { maxBytes, now }: { readonly maxBytes: number; readonly now: Date },
): Promise<DirectForm> {
  const key = randomBytes(16).toString('hex')
  const expires = new Date(now.getTime() + FORM_MS)
  const form = await direct.form(key, { maxBytes, now, expires })
  return { key, ...form, maxBytes, expires: expires.toISOString() }
}

export interface DirectReceive {
  readonly key: string
  readonly name: string
  readonly spoolFolder: string
  readonly maxBytes: number
}

/**
 * Checks an upload in the storage, then lets `work` store it: the storage copies the bytes that were
 * checked. Reads images as a whole, and only the head of other files.
 * @throws NotFoundError, ValidationError, PayloadTooLargeError, PreconditionFailedError
 */
export async function receiveDirect<T>(
  direct: DirectUploads,
  { key, name, spoolFolder, maxBytes }: DirectReceive,
  work: (upload: Upload) => Promise<T>,
): Promise<T> {
  const found = /^[0-9a-f]{32}$/.test(key) ? await direct.get(key) : null
  if (found === null) throw new NotFoundError('There is no such upload')
  if (found.size > maxBytes) throw new PayloadTooLargeError('The upload is too large')
  if (found.size === 0) {
    throw new ValidationError('Files are empty', {}, { code: 'invalid_upload' })
  }
  return withSpoolFolder(spoolFolder, 'upload-', async (folder) => {
    const read = await readChecked(found, { folder, name: cleanName(name) })
    const file = { ...read, store: (to: string) => direct.take(key, found.etag, to) }
    const done = await work({ files: [file], fields: new Map(), ignored: new Set(), folder })
    await direct.remove(key).catch(() => undefined) // expires anyway
    return done
  })
}

async function readChecked(
  found: StoredFile,
  { folder, name }: { readonly folder: string; readonly name: string },
): Promise<ReceivedFile> {
  const path = join(folder, 'file-0')
  const end = Math.min(found.size, HEAD_BYTES) - 1
  const head = await buffer(found.read({ start: 0, end }))
  const { mime } = detectType(head, '', name)
  if (mime.startsWith('image/')) await pipeline(found.read(), createWriteStream(path))
  return { path, name, type: '', size: found.size, head }
}
