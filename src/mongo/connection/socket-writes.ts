import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { MongoNetworkError } from 'mongodb'
import { isBrokenSocket } from './database-error.ts'

/** What we know of a connection of the driver's, which does not export it. */
interface Connection {
  readonly socket: Socket
  writeCommand(...command: unknown[]): Promise<void>
}

const driver = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as {
  readonly Connection: { readonly prototype: Connection }
}

let isMended = false

/**
 * Ends what the driver writes when its socket closes. By itself (7.8.0 and 7.9.0, `writeCommand` in its
 * cmap/connection.ts) it waits for `drain` when a socket does not take a command at once, and a socket
 * that is closed without an error says neither `drain` nor `error`: the command waits for ever, and holds
 * its connection. When it is the heartbeat, no server is found again until the process is restarted.
 *
 * Where the socket is closed with an error, the driver passes on that of Node: nothing is sent again then, and
 * a commit ends in a TypeError (`isRetryableWriteError` in its error.ts takes every error for its own).
 */
export function patchSocketWrites(): void {
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
        .catch(throwAsNetworkError)
        .then(resolve, reject)
        .finally(() => socket.off('close', onClose))
    })
  }
}

function throwAsNetworkError(error: unknown): never {
  if (!isBrokenSocket(error)) throw error
  throw new MongoNetworkError('the socket failed before the command was written', { cause: error })
}
