import { BSON, type Document } from 'mongodb'

const OP_MSG = 2013
const HEADER_BYTES = 16
/** Flags of the message, and the kind of its first section: the command or the reply itself. */
const PREFIX_BYTES = 5

/** One message of the wire protocol. https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */
export interface WireMessage {
  readonly bytes: Buffer
  readonly requestId: number
  /** Which request it answers; 0 in a request. */
  readonly responseTo: number
  /** The command or the reply, without document sequences; null for what is no OP_MSG. */
  readonly body: Document | null
}

/** Cuts what comes in at a time into whole messages. */
export function messageReader(take: (message: WireMessage) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
      const bytes = rest.subarray(0, rest.readInt32LE(0))
      rest = rest.subarray(bytes.length)
      take({
        bytes,
        requestId: bytes.readInt32LE(4),
        responseTo: bytes.readInt32LE(8),
        body: bytes.readInt32LE(12) === OP_MSG ? bodyOf(bytes) : null,
      })
    }
  }
}

/** Numbers stay of the type they have: a transaction's number is an int64. */
function bodyOf(bytes: Buffer): Document {
  const body = bytes.subarray(HEADER_BYTES + PREFIX_BYTES)
  return BSON.deserialize(body.subarray(0, body.readInt32LE(0)), { promoteValues: false })
}

export function requestOf(requestId: number, body: Document): Buffer {
  return toMessage({ requestId, responseTo: 0 }, body)
}

export function replyTo(requestId: number, body: Document): Buffer {
  return toMessage({ requestId: 0, responseTo: requestId }, body)
}

function toMessage(
  { requestId, responseTo }: { readonly requestId: number; readonly responseTo: number },
  body: Document,
): Buffer {
  const content = BSON.serialize(body)
  const header = Buffer.alloc(HEADER_BYTES + PREFIX_BYTES)
  header.writeInt32LE(header.length + content.length, 0)
  header.writeInt32LE(requestId, 4)
  header.writeInt32LE(responseTo, 8)
  header.writeInt32LE(OP_MSG, 12)
  return Buffer.concat([header, content])
}
