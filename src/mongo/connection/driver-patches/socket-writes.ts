import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { MongoNetworkError } from 'mongodb'

interface Connection {
  readonly socket: Socket
  writeCommand(...command: unknown[]): Promise<void>
}

const driver = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as {
  readonly Connection: { readonly prototype: Connection }
}

let isMended = false

/**
 * Rejects pending writes when their socket closes. Drivers 7.8.0 and 7.9.0 (`writeCommand` in cmap/connection.ts) wait
 * for `drain`, which a closed socket never emits, so the command hangs. A hanging heartbeat blocks the client until a
 * restart. `isRetryableWriteError` (error.ts) expects driver errors, so Node's errors are converted.
 */
export function patchSocketWrites(isBrokenSocket: (error: unknown) => error is Error): void {
  const connection = driver.Connection.prototype
  if (isMended) return
  isMended = true
  const write = Reflect.get(connection, 'writeCommand')
  connection.writeCommand = function (this: Connection, ...command) {
    const { socket } = this
    return new Promise((resolve, reject) => {
      const onClose = (): void => {
        reject(new MongoNetworkError('the socket closed before the command was written'))
      }
      socket.once('close', onClose)
      write
        .apply(this, command)
        .catch((error: unknown) => {
          if (!isBrokenSocket(error)) throw error
          const message = 'the socket failed before the command was written'
          throw new MongoNetworkError(message, { cause: error })
        })
        .then(resolve, reject)
        .finally(() => socket.off('close', onClose))
    })
  }
}
