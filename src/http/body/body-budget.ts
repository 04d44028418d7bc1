import type { IncomingMessage } from 'node:http'
import { ServiceUnavailableError } from '../../base/errors.ts'

export interface BodyBudget {
  count(request: IncomingMessage, maxBodyBytes: number): () => void
}

/** Closes the oldest body, because it had the most time. Slow clients cannot block fast ones. */
export function openBodyBudget(maxBytes: number): BodyBudget {
  const reading = new Map<IncomingMessage, number>()
  let total = 0
  const release = (request: IncomingMessage): void => {
    total -= reading.get(request) ?? 0
    reading.delete(request)
  }
  const add = (request: IncomingMessage, bytes: number): void => {
    reading.set(request, (reading.get(request) ?? 0) + bytes)
    total += bytes
    for (const oldest of reading.keys()) {
      if (total <= maxBytes) return
      release(oldest)
      const message = 'Too many bodies at a time'
      oldest.destroy(new ServiceUnavailableError(message, {}, { code: 'overloaded' }))
    }
  }
  return {
    count: (request, maxBodyBytes) => {
      const isPacked = !['', 'identity'].includes(request.headers['content-encoding'] ?? '')
      let isKnown = false
      const onData = (chunk: Buffer): void => {
        // A compressed body counts as `maxBodyBytes`, because its decompressed size is not known in advance.
        if (!isPacked) add(request, chunk.length)
        else if (!isKnown) add(request, maxBodyBytes)
        isKnown = true
      }
      request.on('data', onData)
      return () => {
        request.off('data', onData)
        release(request)
      }
    },
  }
}
