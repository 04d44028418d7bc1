import type { IncomingMessage } from 'node:http'
import { ServiceUnavailableError } from '../errors.ts'

/** The bodies that are being read into memory, together. */
export interface BodyBudget {
  /** Counts the bytes of a body from now on, until what is answered is called. */
  count(request: IncomingMessage, maxBodyBytes: number): () => void
}

/**
 * Keeps the unfinished request bodies below `maxBytes` together. A slow client holds the received part of its body in
 * memory: beyond the bound the connection of the oldest body is closed, as it has had the most time. Slow clients
 * do not keep out those that send a body at once.
 */
export function openBodyBudget(maxBytes: number): BodyBudget {
  /** In the order in which they began. */
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
        // What is unpacked is as large as it may be, however little has come.
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
