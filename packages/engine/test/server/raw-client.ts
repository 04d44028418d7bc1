import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { BSON } from 'mongodb'
import type { Document } from 'mongodb'

export function socketPath(uri: string): string {
  return decodeURIComponent(/^mongodb:\/\/([^/]+)\//.exec(uri)?.[1] ?? '')
}

function header(length: number, operation: number, requestId = 1): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeInt32LE(length + 16, 0)
  bytes.writeInt32LE(requestId, 4)
  bytes.writeInt32LE(operation, 12)
  return bytes
}

/** An OP_MSG with a body and optionally one document sequence. */
export function message(
  body: Document,
  options: { flags?: number; sequence?: readonly [string, readonly Document[]] } = {},
): Buffer {
  const flags = Buffer.alloc(4)
  flags.writeUInt32LE(options.flags ?? 0)
  const parts = [flags, Buffer.from([0]), Buffer.from(BSON.serialize(body))]
  if (options.sequence) {
    const [name, documents] = options.sequence
    const content = Buffer.concat([
      Buffer.from(`${name}\0`),
      ...documents.map((document) => Buffer.from(BSON.serialize(document))),
    ])
    const size = Buffer.alloc(4)
    size.writeInt32LE(content.length + 4)
    parts.push(Buffer.from([1]), size, content)
  }
  if ((options.flags ?? 0) & 1) parts.push(Buffer.alloc(4))
  const all = Buffer.concat(parts)
  return Buffer.concat([header(all.length, 2013), all])
}

export function query(collection: string, document: Document): Buffer {
  const numbers = Buffer.alloc(8)
  numbers.writeInt32LE(-1, 4)
  const all = Buffer.concat([
    Buffer.alloc(4),
    Buffer.from(`${collection}\0`),
    numbers,
    Buffer.from(BSON.serialize(document)),
  ])
  return Buffer.concat([header(all.length, 2004), all])
}

export interface RawClient {
  readonly socket: Socket
  send(bytes: Buffer): void
  /** The document of the next reply. Rejects if the connection ends. */
  reply(): Promise<Document>
  readonly ended: Promise<void>
}

export async function rawClient(uri: string): Promise<RawClient> {
  const socket = connect({ path: socketPath(uri) })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  let received = Buffer.alloc(0)
  let wake: () => void = () => undefined
  let isEnded = false
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  socket.on('error', () => undefined)
  const ended = new Promise<void>((resolve) =>
    socket.on('close', () => {
      isEnded = true
      wake()
      resolve()
    }),
  )
  return {
    socket,
    ended,
    send: (bytes) => socket.write(bytes),
    async reply() {
      while (received.length < 4 || received.length < received.readInt32LE(0)) {
        if (isEnded) throw new Error('the connection ended')
        await new Promise<void>((resolve) => (wake = resolve))
      }
      const frame = received.subarray(0, received.readInt32LE(0))
      received = received.subarray(frame.length)
      return BSON.deserialize(frame.subarray(frame.readInt32LE(12) === 1 ? 36 : 21))
    },
  }
}
