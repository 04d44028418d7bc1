import { type FileHandle, open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { MalformedBodyError, PayloadTooLargeError } from '../../base/errors.ts'
import { interrupted } from './upload-rows.ts'

export const PART_BYTES = 8_388_608

export interface SpooledPart {
  readonly path: string
  readonly size: number
}

export interface SpoolOptions {
  readonly folder: string
  /** The bytes that the upload still lacks. */
  readonly maxBytes: number
  /** Ends the reading. The bytes that have arrived are a part. */
  readonly signal: AbortSignal
}

/**
 * Writes a body to files of at most `PART_BYTES`. After a cut connection, the last file has the bytes that arrived
 * before. Each file is deleted when the caller asks for the next one.
 * @throws MalformedBodyError after a cut connection, PayloadTooLargeError, ConflictError after an abort
 */
export async function* spoolParts(
  request: IncomingMessage,
  { folder, maxBytes, signal }: SpoolOptions,
): AsyncGenerator<SpooledPart> {
  const body = openBody(request, maxBytes, signal)
  try {
    for (let index = 0; ; index += 1) {
      const path = join(folder, `part-${index}`)
      const file = await open(path, 'w')
      const size = await fill(file, body)
      await file.close()
      if (size > 0) yield { path, size }
      await rm(path, { force: true })
      if (size < PART_BYTES) break
    }
    const failure = body.failure()
    if (failure !== null) throw failure
  } finally {
    body.close()
  }
}

async function fill(file: FileHandle, body: Body): Promise<number> {
  let size = 0
  while (size < PART_BYTES) {
    const taken = await body.read(PART_BYTES - size)
    if (taken === null) break
    await file.writeFile(taken)
    size += taken.length
  }
  return size
}

interface Body {
  /** At most `most` bytes. Null at the end, also after a failure. */
  read(most: number): Promise<Buffer | null>
  failure(): Error | null
  close(): void
}

/** The request itself is not destroyed, because the response is sent on the same connection. */
function openBody(request: IncomingMessage, maxBytes: number, signal: AbortSignal): Body {
  const body = new PassThrough()
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  let failure: Error | null = null
  let rest: Buffer | null = null
  let left = maxBytes
  const stop = (error: Error): void => {
    failure ??= error
    request.unpipe(body)
    body.end()
  }
  const onAbort = (): void => stop(interrupted())
  const onClose = (): void => {
    if (!request.complete) stop(cut())
  }
  signal.addEventListener('abort', onAbort, { once: true })
  request.once('error', onClose)
  request.once('close', onClose)
  if (signal.aborted) onAbort()
  else if (request.destroyed) onClose()
  else request.pipe(body)
  const next = async (): Promise<Buffer | null> => {
    const { value } = await chunks.next()
    if (value === undefined) return null
    left -= value.length
    if (left >= 0) return value
    stop(new PayloadTooLargeError('The body exceeds the Upload-Length'))
    return null
  }
  return {
    read: async (most) => {
      const chunk = rest ?? (await next())
      rest = chunk !== null && chunk.length > most ? chunk.subarray(most) : null
      return chunk?.subarray(0, most) ?? null
    },
    failure: () => failure,
    close: () => {
      signal.removeEventListener('abort', onAbort)
      request.off('close', onClose)
      request.unpipe(body)
      request.resume()
    },
  }
}

function cut(): MalformedBodyError {
  return new MalformedBodyError('The request ended before its body did', null, {
    code: 'invalid_upload',
  })
}
