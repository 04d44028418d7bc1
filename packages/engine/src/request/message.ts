import { asBuffer, decodeDocument } from '../bson/decode.ts'
import { encodeDocument } from '../bson/encode.ts'
import { RawDocument } from '../bson/values.ts'
import type { Document } from '../bson/values.ts'

// The wire protocol of drivers since MongoDB 3.6: OP_MSG, and OP_QUERY only for the first hello.

const OP_REPLY = 1
const OP_QUERY = 2004
const OP_MSG = 2013
const HEADER_BYTES = 16
export const MAX_MESSAGE_BYTES = 48_000_000

const CHECKSUM = 1
const MORE_TO_COME = 2
const REQUIRED_FLAGS = 0xffff

export interface MessageHead {
  readonly requestId: number
  readonly kind: 'message' | 'query'
  readonly wantsReply: boolean
}

export interface Message extends MessageHead {
  readonly body: Document
  readonly bodyBytes: Buffer
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>
}

class MalformedMessage extends Error {}

export function createFrameReader(): (chunk: Buffer) => Buffer[] {
  let pending: Buffer[] = []
  let size = 0
  let wanted = 0
  return (chunk) => {
    pending.push(chunk)
    size += chunk.length
    const frames: Buffer[] = []
    while (size >= 4 && size >= wanted) {
      const all: Buffer =
        pending.length === 1 ? (pending[0] ?? chunk) : Buffer.concat(pending, size)
      const length = all.readInt32LE(0)
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES)
        throw new MalformedMessage(`a message of ${length} bytes`)
      pending = [all]
      wanted = length
      if (size < length) break
      frames.push(all.subarray(0, length))
      pending = size > length ? [all.subarray(length)] : []
      size -= length
      wanted = 0
    }
    return frames
  }
}

function readSequence(frame: Buffer, start: number, end: number): readonly [string, Buffer[]] {
  const nameEnd = frame.indexOf(0, start)
  if (nameEnd < 0 || nameEnd >= end) throw new MalformedMessage('a document sequence has no name')
  const documents: Buffer[] = []
  let at = nameEnd + 1
  while (at < end) {
    const length = at + 4 <= end ? frame.readInt32LE(at) : 0
    if (length < 5 || at + length > end)
      throw new MalformedMessage('a document sequence has a wrong length')
    documents.push(frame.subarray(at, at + length))
    at += length
  }
  return [frame.toString('utf8', start, nameEnd), documents]
}

function sectionEnd(frame: Buffer, at: number, end: number): number {
  const length = at + 4 <= end ? frame.readInt32LE(at) : 0
  if (length < 5 || at + length > end) throw new MalformedMessage('a section has a wrong length')
  return at + length
}

function readMessage(frame: Buffer, requestId: number): Message {
  if (frame.length < HEADER_BYTES + 5) throw new MalformedMessage('a message without sections')
  const flags = frame.readUInt32LE(HEADER_BYTES)
  if ((flags & REQUIRED_FLAGS & ~(CHECKSUM | MORE_TO_COME)) !== 0)
    throw new MalformedMessage(`unknown flags ${flags}`)
  const end = frame.length - (flags & CHECKSUM ? 4 : 0)
  const sequences = new Map<string, readonly Buffer[]>()
  let bodyBytes: Buffer | null = null
  let at = HEADER_BYTES + 4
  while (at < end) {
    const kind = frame[at]
    const next = sectionEnd(frame, at + 1, end)
    if (kind === 0 && !bodyBytes) bodyBytes = frame.subarray(at + 1, next)
    else if (kind === 1) sequences.set(...readSequence(frame, at + 5, next))
    else throw new MalformedMessage(`a section of kind ${kind}`)
    at = next
  }
  if (!bodyBytes) throw new MalformedMessage('a message without a body')
  return {
    requestId,
    kind: 'message',
    body: decodeDocument(bodyBytes),
    bodyBytes,
    sequences,
    wantsReply: (flags & MORE_TO_COME) === 0,
  }
}

function readQuery(frame: Buffer, requestId: number): Message {
  const nameEnd = frame.indexOf(0, HEADER_BYTES + 4)
  const at = nameEnd + 9
  if (nameEnd < 0 || at + 5 > frame.length) throw new MalformedMessage('a query without a document')
  const bodyBytes = frame.subarray(at, sectionEnd(frame, at, frame.length))
  const body = decodeDocument(bodyBytes)
  body['$db'] ??= frame.toString('utf8', HEADER_BYTES + 4, nameEnd).split('.')[0]
  return { requestId, kind: 'query', body, bodyBytes, sequences: new Map(), wantsReply: true }
}

/** @throws MalformedMessage, or CommandError InvalidBSON if a document is broken */
export function parseMessage(frame: Buffer): Message {
  const requestId = frame.readInt32LE(4)
  const operation = frame.readInt32LE(12)
  if (operation === OP_MSG) return readMessage(frame, requestId)
  if (operation === OP_QUERY) return readQuery(frame, requestId)
  throw new MalformedMessage(`operation ${operation} is not supported`)
}

/** Reads the head of a message with broken documents. Returns null if it is not an OP_MSG. */
export function readMessageHead(frame: Buffer): MessageHead | null {
  if (frame.length < HEADER_BYTES + 4 || frame.readInt32LE(12) !== OP_MSG) return null
  const wantsReply = (frame.readUInt32LE(HEADER_BYTES) & MORE_TO_COME) === 0
  return { requestId: frame.readInt32LE(4), kind: 'message', wantsReply }
}

let lastId = 0

function header(length: number, responseTo: number, operation: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  lastId = (lastId + 1) & 0x7fffffff
  bytes.writeInt32LE(HEADER_BYTES + length, 0)
  bytes.writeInt32LE(lastId, 4)
  bytes.writeInt32LE(responseTo, 8)
  bytes.writeInt32LE(operation, 12)
  return bytes
}

export function encodeReply(message: MessageHead, reply: Document | RawDocument): Buffer {
  const body = reply instanceof RawDocument ? reply.bytes : encodeDocument(reply)
  if (message.kind === 'message') {
    return Buffer.concat([
      header(body.length + 5, message.requestId, OP_MSG),
      Buffer.alloc(5),
      body,
    ])
  }
  const fields = Buffer.alloc(20)
  fields.writeInt32LE(8, 0)
  fields.writeInt32LE(1, 16)
  return Buffer.concat([
    header(body.length + 20, message.requestId, OP_REPLY),
    fields,
    asBuffer(body),
  ])
}
