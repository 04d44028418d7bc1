import type {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Long,
  ObjectId,
  Timestamp,
} from 'bson'
import { enlarge } from './enlarge.ts'
import { RawDocument, getType } from './values.ts'
import type { Document, TypeName, Value } from './values.ts'

let scratch = Buffer.allocUnsafe(1 << 16)
let at = 0

function reserve(length: number): number {
  if (at + length > scratch.length) scratch = enlarge(scratch, at, length)
  const start = at
  at += length
  return start
}

// `reserve` comes first, because it may replace the buffer.
function putByte(byte: number): void {
  const place = reserve(1)
  scratch[place] = byte
}

function writeName(name: string): void {
  const { length } = name
  const start = reserve(length * 3 + 1)
  let position = start
  for (let i = 0; i < length; i++) {
    const code = name.charCodeAt(i)
    if (code > 127) {
      position = start + scratch.write(name, start)
      break
    }
    scratch[position++] = code
  }
  scratch[position] = 0
  at = position + 1
}

function writeString(text: string): void {
  const start = reserve(text.length * 3 + 5)
  const length = scratch.write(text, start + 4)
  scratch.writeInt32LE(length + 1, start)
  scratch[start + 4 + length] = 0
  at = start + 5 + length
}

function writeBytes(bytes: Uint8Array): void {
  const place = reserve(bytes.length)
  scratch.set(bytes, place)
}

function writeInt32(value: number): void {
  const place = reserve(4)
  scratch.writeInt32LE(value, place)
}

function writeBinary(value: Binary): void {
  const bytes = value.buffer.subarray(0, value.position)
  writeInt32(bytes.length)
  putByte(value.sub_type)
  writeBytes(bytes)
}

function writeLong(value: Long): void {
  writeInt32(value.low)
  writeInt32(value.high)
}

function writeCode(value: Code): void {
  if (!value.scope) {
    writeString(value.code)
    return
  }
  const start = reserve(4)
  writeString(value.code)
  writeDocument(value.scope)
  scratch.writeInt32LE(at - start, start)
}

function writeArray(values: readonly Value[]): void {
  const start = reserve(4)
  let index = 0
  for (const value of values) writeElement(String(index++), value === undefined ? null : value)
  putByte(0)
  scratch.writeInt32LE(at - start, start)
}

function writeDocument(document: Document | RawDocument): void {
  if (document instanceof RawDocument) {
    writeBytes(document.bytes)
    return
  }
  const start = reserve(4)
  for (const name of Object.keys(document)) writeElement(name, document[name])
  putByte(0)
  scratch.writeInt32LE(at - start, start)
}

type Writer = readonly [type: number, write: (value: never) => void]

function nothing(): void {
  return undefined
}

const WRITERS: Readonly<Record<TypeName, Writer>> = {
  missing: [0x0a, nothing],
  null: [0x0a, nothing],
  minKey: [0xff, nothing],
  maxKey: [0x7f, nothing],
  int: [0x10, writeInt32],
  double: [
    0x01,
    (value: Double) => {
      const start = reserve(8)
      scratch.writeDoubleLE(value.value, start)
    },
  ],
  long: [0x12, writeLong],
  decimal: [0x13, (value: Decimal128) => writeBytes(value.bytes)],
  string: [0x02, writeString],
  symbol: [0x0e, (value: BSONSymbol) => writeString(value.value)],
  object: [0x03, writeDocument],
  array: [0x04, writeArray],
  binData: [0x05, writeBinary],
  objectId: [0x07, (value: ObjectId) => writeBytes(value.id)],
  bool: [0x08, (value: boolean) => putByte(value ? 1 : 0)],
  date: [
    0x09,
    (value: Date) => {
      const start = reserve(8)
      scratch.writeBigInt64LE(BigInt(value.getTime()), start)
    },
  ],
  timestamp: [0x11, (value: Timestamp) => writeLong(value as unknown as Long)],
  regex: [
    0x0b,
    (value: BSONRegExp) => {
      writeName(value.pattern)
      writeName(value.options)
    },
  ],
  javascript: [0x0d, writeCode],
  javascriptWithScope: [0x0f, writeCode],
}

function writeElement(name: string, value: Value): void {
  if (value === undefined) return
  const [type, write] = WRITERS[getType(value)]
  putByte(type)
  writeName(name)
  write(value as never)
}

export function encodeDocument(document: Document): Buffer {
  at = 0
  writeDocument(document)
  return Buffer.from(scratch.subarray(0, at))
}
