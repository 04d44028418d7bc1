import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { MalformedBodyError } from '../../base/errors.ts'

/**
 * koa-body never settles when the client disconnects in the middle of a compressed body. Uses `pipe`, because
 * `pipeline` destroys the request on an error, and the response with it.
 */
export function unpackBody(request: IncomingMessage): Readable {
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
