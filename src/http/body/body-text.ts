import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import rawBody from 'raw-body'
import { MalformedBodyError } from '../../base/errors.ts'

const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Rejects bodies that are not UTF-8: with replacement characters two passwords could become equal.
 * @throws MalformedBodyError, or an error of `raw-body` with a status: 413 beyond `limit` bytes
 */
export async function readBodyText(request: IncomingMessage, limit: number): Promise<string> {
  const stream = unpacked(request)
  const length = stream === request ? (request.headers['content-length'] ?? null) : null
  const bytes = await rawBody(stream, { limit, length })
  if (!isUtf8(bytes)) throw notUtf8()
  const text = bytes.toString('utf8')
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text
}

export function notUtf8(): MalformedBodyError {
  return new MalformedBodyError('The body is not UTF-8', null)
}

/** `pipeline` would destroy the request on an error, and the response with it. */
function unpacked(request: IncomingMessage): Readable {
  const coding = request.headers['content-encoding'] ?? 'identity'
  if (coding === 'identity') return request
  const unpacking = unpackerOf(coding)
  const onClose = (): void => {
    if (!request.complete) unpacking.destroy(new Error('the request ended before its body did'))
  }
  request.once('close', onClose)
  unpacking.once('close', () => request.off('close', onClose))
  return request.pipe(unpacking)
}

function unpackerOf(coding: string) {
  switch (coding) {
    case 'gzip':
    case 'deflate':
      return createUnzip()
    case 'br':
      return createBrotliDecompress()
    default:
      throw new MalformedBodyError(`Unsupported Content-Encoding: ${coding}`, null)
  }
}
