import { BSON, type Document } from 'mongodb'

const OP_MSG = 2013
const HEADER_BYTES = 16
const FLAGS_BYTES = 4
/** The flags and the kind of the first section: the command or the reply. */
const PREFIX_BYTES = 5
/** The kind of a section with a list of documents. */
const SEQUENCE = 1

/**
 * One message of the wire protocol.
 * https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
 */
export interface WireMessage {
  readonly bytes: Buffer
  readonly requestId: number
  /** The id of the request that it answers. 0 in a request. */
  readonly responseTo: number
  /** The command or reply, with its document sequences as arrays. Null if it is not an OP_MSG. */
  readonly body: Document | null
}

/** Splits a stream into messages. */
export function createMessageReader(take: (message: WireMessage) => void): (chunk: Buffer) => void {
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

/** Assumes no checksum: neither the driver (7.8) nor the tested databases send one. */
function bodyOf(bytes: Buffer): Document {
  const body: Document = {}
  for (let at = HEADER_BYTES + FLAGS_BYTES; at < bytes.length;) {
    const kind = bytes[at]
    const section = bytes.subarray(at + 1)
    const length = section.readInt32LE(0)
    if (kind === SEQUENCE) {
      const nameEnd = section.indexOf(0, 4)
      const name = section.toString('utf8', 4, nameEnd)
      body[name] = documentsIn(section.subarray(nameEnd + 1, length))
    } else {
      Object.assign(body, documentIn(section))
    }
    at += 1 + length
  }
  return body
}

function documentsIn(bytes: Buffer): readonly Document[] {
  const documents: Document[] = []
  for (let rest = bytes; rest.length > 0; rest = rest.subarray(rest.readInt32LE(0))) {
    documents.push(documentIn(rest))
  }
  return documents
}

/** Preserves number types, because a transaction number is an int64. */
function documentIn(bytes: Buffer): Document {
  return BSON.deserialize(bytes.subarray(0, bytes.readInt32LE(0)), { promoteValues: false })
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
