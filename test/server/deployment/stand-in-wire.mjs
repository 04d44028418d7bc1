// MongoDB's wire protocol, as much as servers need that stand in for it.
import { deserialize, serialize } from 'bson'

/** Cuts what comes over a socket into messages. */
export function onMessages(socket, handle) {
  let buffer = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk])
    while (buffer.length >= 4 && buffer.length >= buffer.readInt32LE(0)) {
      const length = buffer.readInt32LE(0)
      const message = buffer.subarray(0, length)
      buffer = buffer.subarray(length)
      handle(message)
    }
  })
}

const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013]

/** The command of a message; null when it is none. */
export function read(message) {
  const code = message.readInt32LE(12)
  if (code === OP_QUERY) return deserialize(message.subarray(message.indexOf(0, 20) + 9))
  if (code === OP_MSG && message[20] === 0) {
    return deserialize(message.subarray(21, 21 + message.readInt32LE(21)))
  }
  return null
}

/** Answers a message with a document. */
export function reply(socket, message, document) {
  const body = serialize(document)
  const isQuery = message.readInt32LE(12) === OP_QUERY
  const prefix = isQuery ? Buffer.alloc(20) : Buffer.alloc(5)
  if (isQuery) prefix.writeInt32LE(1, 16)
  const header = Buffer.alloc(16)
  header.writeInt32LE(16 + prefix.length + body.length, 0)
  header.writeInt32LE(message.readInt32LE(4), 8)
  header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12)
  socket.write(Buffer.concat([header, prefix, body]))
}
