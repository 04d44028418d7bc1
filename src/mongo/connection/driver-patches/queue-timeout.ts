import type { MongoClient } from 'mongodb'

/**
 * Operations wait up to `timeoutMs` for a connection, unless the client permits a longer wait. Returns a function that
 * restores the setting of the client. Driver 7.8 reads `waitQueueTimeoutMS` of `client.options` before each operation
 * (`executeOperation`).
 */
export function extendQueueTimeout({ options }: MongoClient, timeoutMs: number): () => void {
  const givenMs = options.waitQueueTimeoutMS
  const isForever = givenMs === 0
  if (isForever || givenMs >= timeoutMs) return () => undefined
  Reflect.set(options, 'waitQueueTimeoutMS', timeoutMs)
  return () => {
    Reflect.set(options, 'waitQueueTimeoutMS', givenMs)
  }
}
