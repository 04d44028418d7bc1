import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson'
import { CommandError } from '../errors.ts'
import { createDocument } from './values.ts'
import type { Document, Value } from './values.ts'

const MAX_DEPTH = 200

interface Reader {
  readonly bytes: Buffer
  at: number
}

function corrupt(what: string): CommandError {
  return new CommandError('InvalidBSON', `BSON: ${what}`)
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function readName(reader: Reader): string {
  const { bytes, at } = reader
  const end = bytes.indexOf(0, at)
  if (end < 0) throw corrupt('a field name has no end')
  reader.at = end + 1
  return end - at < 24 ? shortName(bytes, at, end) : bytes.toString('utf8', at, end)
}

// Most names are short ASCII. Building them by hand is several times faster than `toString`.
function shortName(bytes: Buffer, start: number, end: number): string {
  let name = ''
  for (let at = start; at < end; at++) {
    const code = bytes[at] ?? 0
    if (code > 127) return bytes.toString('utf8', start, end)
    name += String.fromCharCode(code)
  }
  return name
}

function take(reader: Reader, length: number): number {
  const { at } = reader
  if (length < 0 || at + length > reader.bytes.length)
    throw corrupt('a value ends beyond its document')
  reader.at = at + length
  return at
}

function readString(reader: Reader): string {
  const length = reader.bytes.readInt32LE(take(reader, 4))
  if (length < 1) throw corrupt('a string has no length')
  const at = take(reader, length)
  if (reader.bytes[at + length - 1] !== 0) throw corrupt('a string has no end')
  return reader.bytes.toString('utf8', at, at + length - 1)
}

function readBinary(reader: Reader): Binary {
  const length = reader.bytes.readInt32LE(take(reader, 4))
  const subtype = reader.bytes[take(reader, 1)] ?? 0
  const at = take(reader, length)
  return new Binary(new Uint8Array(reader.bytes.subarray(at, at + length)), subtype)
}

function readLong(reader: Reader): Long {
  const at = take(reader, 8)
  return new Long(reader.bytes.readInt32LE(at), reader.bytes.readInt32LE(at + 4))
}

function readDate(reader: Reader): Date {
  const at = take(reader, 8)
  const low = reader.bytes.readUInt32LE(at)
  return new Date(reader.bytes.readInt32LE(at + 4) * 4294967296 + low)
}

function readTimestamp(reader: Reader): Timestamp {
  const at = take(reader, 8)
  return new Timestamp({ i: reader.bytes.readUInt32LE(at), t: reader.bytes.readUInt32LE(at + 4) })
}

function readCode(reader: Reader, depth: number): Code {
  take(reader, 4)
  const code = readString(reader)
  return new Code(code, readDocument(reader, depth))
}

function readBytes(reader: Reader, length: number): Uint8Array {
  const at = take(reader, length)
  return new Uint8Array(reader.bytes.subarray(at, at + length))
}

type ReadValue = (reader: Reader, depth: number) => Value

const READERS: (ReadValue | undefined)[] = []
READERS[0x01] = (reader) => new Double(reader.bytes.readDoubleLE(take(reader, 8)))
READERS[0x02] = readString
READERS[0x03] = readDocument
READERS[0x04] = readArray
READERS[0x05] = readBinary
READERS[0x06] = () => null
READERS[0x07] = (reader) => new ObjectId(readBytes(reader, 12))
READERS[0x08] = (reader) => reader.bytes[take(reader, 1)] !== 0
READERS[0x09] = readDate
READERS[0x0a] = () => null
READERS[0x0b] = (reader) => new BSONRegExp(readName(reader), readName(reader))
READERS[0x0d] = (reader) => new Code(readString(reader))
READERS[0x0e] = (reader) => new BSONSymbol(readString(reader))
READERS[0x0f] = readCode
READERS[0x10] = (reader) => reader.bytes.readInt32LE(take(reader, 4))
READERS[0x11] = readTimestamp
READERS[0x12] = readLong
READERS[0x13] = (reader) => new Decimal128(readBytes(reader, 16))
READERS[0x7f] = () => new MaxKey()
READERS[0xff] = () => new MinKey()

function readValue(reader: Reader, type: number, depth: number): Value {
  const read = READERS[type]
  if (!read) throw corrupt(`unknown type 0x${type.toString(16)}`)
  return read(reader, depth)
}

function readHead(reader: Reader, depth: number): number {
  if (depth > MAX_DEPTH)
    throw new CommandError('Overflow', `Document is nested deeper than ${MAX_DEPTH} levels`)
  const start = reader.at
  const length = reader.bytes.readInt32LE(take(reader, 4))
  if (length < 5 || start + length > reader.bytes.length)
    throw corrupt('a document has a wrong length')
  return start + length - 1
}

function readEnd(reader: Reader, end: number): void {
  if (reader.at !== end || reader.bytes[end] !== 0) throw corrupt('a document has a wrong end')
  reader.at = end + 1
}

function readDocument(reader: Reader, depth: number): Document {
  const end = readHead(reader, depth)
  const document = createDocument()
  while (reader.at < end) {
    const type = reader.bytes[take(reader, 1)] ?? 0
    const name = readName(reader)
    document[name] = readValue(reader, type, depth + 1)
  }
  readEnd(reader, end)
  return document
}

function readArray(reader: Reader, depth: number): Value[] {
  const end = readHead(reader, depth)
  const values: Value[] = []
  while (reader.at < end) {
    const type = reader.bytes[take(reader, 1)] ?? 0
    const nameEnd = reader.bytes.indexOf(0, reader.at)
    if (nameEnd < 0) throw corrupt('an array index has no end')
    reader.at = nameEnd + 1
    values.push(readValue(reader, type, depth + 1))
  }
  readEnd(reader, end)
  return values
}

/** @throws CommandError InvalidBSON if the bytes are not exactly one document */
export function decodeDocument(bytes: Uint8Array, offset = 0): Document {
  return readDocument({ bytes: asBuffer(bytes), at: offset }, 0)
}

const FIXED_SIZES: Readonly<Record<number, number>> = {
  0x01: 8, 0x06: 0, 0x07: 12, 0x08: 1, 0x09: 8, 0x0a: 0, 0x10: 4, 0x11: 8, 0x12: 8, 0x13: 16, 0x7f: 0, 0xff: 0,
} // prettier-ignore

function sizeOf(bytes: Buffer, type: number, at: number): number {
  const fixed = FIXED_SIZES[type]
  if (fixed !== undefined) return fixed
  if (type === 0x0b) return bytes.indexOf(0, bytes.indexOf(0, at) + 1) + 1 - at
  const length = bytes.readInt32LE(at)
  if (type === 0x03 || type === 0x04 || type === 0x0f) return length
  return type === 0x05 ? length + 5 : length + 4
}

export interface BsonElement {
  readonly type: number
  readonly name: string
  readonly start: number
  readonly valueAt: number
  readonly end: number
}

export function* iterateElements(bytes: Buffer): Generator<BsonElement> {
  const reader: Reader = { bytes, at: 4 }
  while (reader.at < bytes.length - 1) {
    const start = reader.at
    const type = bytes[reader.at++] ?? 0
    const name = readName(reader)
    const valueAt = reader.at
    const end = valueAt + sizeOf(bytes, type, valueAt)
    reader.at = end
    yield { type, name, start, valueAt, end }
  }
}

/** Decodes only the wanted top-level fields of a validated document and skips the rest. */
export function decodeFields(bytes: Uint8Array, wanted: ReadonlySet<string>): Document {
  const reader: Reader = { bytes: asBuffer(bytes), at: 4 }
  const document = createDocument()
  let missing = wanted.size
  while (missing > 0 && reader.at < bytes.length - 1) {
    const type = reader.bytes[reader.at++] ?? 0
    const name = readName(reader)
    if (wanted.has(name)) {
      // A name may occur twice: the last value counts, as in `decodeDocument`.
      if (!(name in document)) missing--
      document[name] = readValue(reader, type, 1)
    } else reader.at += sizeOf(reader.bytes, type, reader.at)
  }
  return document
}
