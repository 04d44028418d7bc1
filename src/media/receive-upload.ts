import { createWriteStream } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'
import { CmsError, MalformedBodyError, PayloadTooLargeError } from '../base/errors.ts'
import { HEAD_BYTES } from './detect-type.ts'
import { withSpoolFolder } from './spool-folder.ts'
import { cleanName } from './file-name.ts'
import type { Leftover } from './storage/storage.ts'

export interface Upload {
  readonly files: readonly ReceivedFile[]
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly ignored: ReadonlySet<string>
  readonly folder: string
}

export interface ReceivedFile {
  readonly path: string
  readonly name: string
  readonly type: string
  readonly size: number
  readonly head: Buffer
  /** Stores the bytes under a name, if they are in the storage already. The path may be missing then. */
  readonly store?: (name: string) => Promise<void>
}

export interface ReceiveOptions {
  readonly spoolFolder: string
  readonly maxBytes: number
}

const FIELD = 'files'
const MAX_TEXT_BYTES = 1_048_576
/** The parser's replacement for invalid UTF-8. A client can send this character in JSON as `\\ufffd`. */
const REPLACEMENT = '\uFFFD'
const LIMITS = { files: 100, fields: 100, fieldSize: MAX_TEXT_BYTES, headerPairs: 100 }

/** Deletes the files after `work`. @throws PayloadTooLargeError, MalformedBodyError, ServiceUnavailableError */
export async function receiveUpload<T>(
  request: IncomingMessage,
  { spoolFolder, maxBytes }: ReceiveOptions,
  work: (upload: Upload) => Promise<T>,
): Promise<T> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBytes + MAX_TEXT_BYTES) throw tooLarge()
  return withSpoolFolder(spoolFolder, 'upload-', async (folder) =>
    work(await receive(request, folder, maxBytes)),
  )
}

const ABANDONED_AFTER_MS = 24 * 3_600_000

/** Deletes uploads of processes that died. Uploads of running processes are newer. */
export async function clearSpool(spoolFolder: string, now: Date): Promise<void> {
  for await (const { modifiedAt, remove } of spooledUploads(spoolFolder)) {
    if (now.getTime() - modifiedAt.getTime() > ABANDONED_AFTER_MS) await remove()
  }
}

export async function* spooledUploads(spoolFolder: string): AsyncGenerator<Leftover> {
  for (const name of await readdir(spoolFolder).catch(() => [])) {
    const path = join(spoolFolder, name)
    const modifiedAt = await lastTouched(path)
    if (modifiedAt === null) continue
    const remove = (): Promise<void> => rm(path, { recursive: true, force: true })
    yield { what: `an upload on its way, ${name}`, modifiedAt, remove }
  }
}

/** The modification time of a folder does not change while its files grow. */
async function lastTouched(folder: string): Promise<Date | null> {
  const names = await readdir(folder).catch(() => [])
  const times: number[] = []
  for (const path of [folder, ...names.map((name) => join(folder, name))]) {
    const found = await stat(path).catch(() => null)
    if (found !== null) times.push(found.mtimeMs)
  }
  return times.length === 0 ? null : new Date(Math.max(...times))
}

async function receive(
  request: IncomingMessage,
  folder: string,
  maxBytes: number,
): Promise<Upload> {
  const form = openForm(request)
  const fields = new Map<string, string[]>()
  const files: Promise<ReceivedFile | null>[] = []
  const ignored = new Set<string>()
  const budget = { left: maxBytes }
  let textBytes = 0
  form.on('field', (name, value, { valueTruncated }) => {
    textBytes += Buffer.byteLength(name) + Buffer.byteLength(value)
    if (valueTruncated || textBytes > MAX_TEXT_BYTES) {
      form.destroy(tooLarge())
      return
    }
    if (value.includes(REPLACEMENT)) {
      form.destroy(new Error(`${name} is not UTF-8`))
      return
    }
    fields.set(name, [...(fields.get(name) ?? []), value])
  })
  form.on('file', (field, stream, { filename, mimeType }) => {
    const path = field === FIELD ? join(folder, `file-${files.length}`) : null
    if (path === null) ignored.add(field)
    const file = spool(stream, path, budget).then((spooled) =>
      path === null ? null : { path, name: cleanName(filename ?? ''), type: mimeType, ...spooled },
    )
    file.catch((error: unknown) => form.destroy(error as Error))
    files.push(file)
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
    form.on(limit, () => form.destroy(tooLarge()))
  }
  try {
    await feed(request, form)
    const received = await Promise.all(files)
    return { files: received.filter((file) => file !== null), fields, ignored, folder }
  } catch (error) {
    form.destroy()
    await Promise.allSettled(files) // no file may be written after the folder is deleted
    throw error instanceof CmsError || isOfSystem(error) ? error : malformed(error)
  }
}

function openForm({ headers }: IncomingMessage): busboy.Busboy {
  try {
    return busboy({ headers, limits: LIMITS, defParamCharset: 'utf8' })
  } catch (error) {
    throw malformed(error)
  }
}

/** `pipeline` would destroy the request and with it the response. */
async function feed(request: IncomingMessage, form: busboy.Busboy): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      form.on('error', reject)
      form.once('close', resolve)
      request.once('error', reject)
      request.once('close', () => {
        if (!request.complete) reject(new Error('the request ended before its body did'))
      })
      request.pipe(form)
    })
  } finally {
    request.unpipe(form)
    request.resume()
  }
}

async function spool(
  stream: Readable,
  path: string | null,
  budget: { left: number },
): Promise<Pick<ReceivedFile, 'size' | 'head'>> {
  const head: Buffer[] = []
  let size = 0
  const count = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      budget.left -= chunk.length
      if (budget.left < 0) throw tooLarge()
      if (size < HEAD_BYTES) head.push(chunk.subarray(0, HEAD_BYTES - size))
      size += chunk.length
      yield chunk
    }
  }
  if (path === null) for await (const _chunk of count(stream)) void _chunk
  else await pipeline(stream, count, createWriteStream(path))
  return { size, head: Buffer.concat(head) }
}

function tooLarge(): PayloadTooLargeError {
  return new PayloadTooLargeError('The upload is too large')
}

function malformed(error: unknown): MalformedBodyError {
  const why = error instanceof Error ? error.message : 'malformed'
  return new MalformedBodyError(`The upload cannot be read: ${why}`, null, {
    cause: error,
    code: 'invalid_upload',
  })
}

/** System errors, such as a full disk, are not the client's fault. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall !== 'read'
}
