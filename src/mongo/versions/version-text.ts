import { BSON } from 'mongodb'
import type { ScalarType } from '../../schema/definition.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import { isoText } from '../../schema/values/temporal.ts'
import { DECODING, decodeRow } from './stored-version.ts'

export interface TextMember {
  readonly name: string
  readonly storedName: string
  readonly type: ScalarType
}

export type WriteVersion = (bytes: Uint8Array) => string

interface Value {
  readonly bytes: Buffer
  readonly type: number
  readonly at: number
  readonly end: number
}

interface Plain {
  readonly kinds: ReadonlySet<ScalarType>
  /** Returns null for values that the driver must decode. */
  readonly write: (value: Value) => string | null
}

/** BSON types: https://bsonspec.org/spec.html */
const DOUBLE = 1
const STRING = 2
const DOCUMENT = 3
const ARRAY = 4
const BOOLEAN = 8
const DATE = 9
const NULL = 10
const INT32 = 16
const INT64 = 18
const DECIMAL128 = 19

const LENGTHS: ReadonlyMap<number, number> = new Map([
  [DOUBLE, 8],
  [BOOLEAN, 1],
  [DATE, 8],
  [NULL, 0],
  [INT32, 4],
  [INT64, 8],
  [DECIMAL128, 16],
])

const ALL = Object.keys(SCALAR_KINDS) as readonly ScalarType[]
const NUMBERS: ReadonlySet<ScalarType> = new Set(['integer', 'float', 'decimal'])

/** Writers by BSON type, for these kinds. An array, because it is read for each value. */
const PLAIN: readonly (Plain | undefined)[] = indexByBsonType([
  [NULL, new Set(ALL), () => 'null'],
  [STRING, new Set(ALL.filter((kind) => kind !== 'time' && kind !== 'location')), writeText],
  [BOOLEAN, new Set(['boolean']), ({ bytes, at }) => String(bytes[at] === 1)],
  [INT32, NUMBERS, ({ bytes, at }) => String(bytes.readInt32LE(at))],
  [DOUBLE, NUMBERS, ({ bytes, at }) => JSON.stringify(bytes.readDoubleLE(at))],
  [INT64, new Set(['biginteger']), ({ bytes, at }) => `"${bytes.readBigInt64LE(at)}"`],
  [DATE, new Set(['datetime']), ({ bytes, at }) => `"${isoText(readTime(bytes, at))}"`],
])

const PLAIN_TEXT = /^[ !#-[\]-\x7f]*$/

function indexByBsonType(
  rows: readonly (readonly [number, Plain['kinds'], Plain['write']])[],
): readonly (Plain | undefined)[] {
  const list: (Plain | undefined)[] = []
  for (const [type, kinds, write] of rows) list[type] = { kinds, write }
  return list
}

const UNKNOWN = -1

/** Writes entries from BSON, in less than half the time of `JSON.stringify`. The driver decodes unexpected types. */
export function compileVersionText(members: readonly TextMember[]): WriteVersion {
  const heads = members.map(({ name }, place) => `${place === 0 ? '{' : ','}"${name}":`)
  const isRepeated = new Set(members.map(({ storedName }) => storedName)).size < members.length
  if (isRepeated) return decodedWriter(members) // an attribute and its alias
  const findField = openFields(members)
  const writeDecoded = decodedWriter(members)
  return (given) => {
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
    if (bytes.readInt32LE(0) !== bytes.length) return writeDecoded(given)
    const values = heads.map(() => 'null')
    const last = bytes.length - 1
    let number = 0
    for (let at = 4; at < last; number += 1) {
      const type = bytes[at] ?? 0
      const { name, place } = findField(bytes, number, at + 1)
      const start = at + 1 + name.length
      const end = valueEnd(bytes, type, start)
      if (end === UNKNOWN || end > last) return writeDecoded(given)
      const member = members[place]
      if (member !== undefined) {
        const value = { bytes, type, at: start, end }
        values[place] = writePlain(value, member.type) ?? writeByDriver(value, member.type)
      }
      at = end
    }
    let text = ''
    for (let place = 0; place < heads.length; place += 1) text += `${heads[place]}${values[place]}`
    return text === '' ? '{}' : `${text}}`
  }
}

interface Field {
  readonly name: Buffer
  readonly place: number
}

/** Versions mostly have the same field order, so the previous position is compared first. */
function openFields(members: readonly TextMember[]) {
  const places = new Map(members.map(({ storedName }, place) => [storedName, place]))
  const seen: Field[] = []
  return (bytes: Buffer, number: number, at: number): Field => {
    const before = seen[number]
    if (before !== undefined && isAt(before.name, bytes, at)) return before
    const nul = bytes.indexOf(0, at)
    const name = Buffer.from(bytes.subarray(at, nul + 1))
    const place = places.get(name.toString('latin1', 0, name.length - 1)) ?? UNKNOWN
    return (seen[number] = { name, place })
  }
}

function isAt(name: Buffer, bytes: Buffer, at: number): boolean {
  for (let index = 0; index < name.length; index += 1) {
    if (name[index] !== bytes[at + index]) return false
  }
  return true
}

function valueEnd(bytes: Buffer, type: number, at: number): number {
  const length = LENGTHS.get(type)
  if (length !== undefined) return at + length
  if (at + 4 > bytes.length) return UNKNOWN
  if (type === STRING) return at + 4 + bytes.readUInt32LE(at)
  if (type === DOCUMENT || type === ARRAY) return at + bytes.readUInt32LE(at)
  return UNKNOWN
}

function writePlain(value: Value, kind: ScalarType): string | null {
  const plain = PLAIN[value.type]
  return plain?.kinds.has(kind) === true ? plain.write(value) : null
}

/** Reads without a `bigint`. Exact for all times that a `Date` can hold. */
function readTime(bytes: Buffer, at: number): number {
  return bytes.readInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at)
}

function writeText({ bytes, at, end }: Value): string | null {
  const ascii = bytes.toString('latin1', at + 4, end - 1)
  if (PLAIN_TEXT.test(ascii)) return `"${ascii}"`
  const text = bytes.toString('utf8', at + 4, end - 1)
  return text.includes('\ufffd') ? null : JSON.stringify(text)
}

/** Overhead of a document with one value: its length, the type and name of the value, and the terminator. */
const AROUND_VALUE = 8

function writeByDriver({ bytes, type, at, end }: Value, kind: ScalarType): string {
  const document = Buffer.alloc(end - at + AROUND_VALUE)
  document.writeInt32LE(document.length, 0)
  document.writeUInt8(type, 4)
  document.write('v', 5)
  bytes.copy(document, 7, at, end)
  return writeJson(BSON.deserialize(document, DECODING)['v'], kind)
}

function writeJson(stored: unknown, kind: ScalarType): string {
  return JSON.stringify(SCALAR_KINDS[kind].toJson(stored ?? null))
}

function decodedWriter(members: readonly TextMember[]): WriteVersion {
  return (bytes) => {
    const row = decodeRow(bytes)
    const values = members.map(
      ({ name, storedName, type }) => `"${name}":${writeJson(row[storedName], type)}`,
    )
    return `{${values.join(',')}}`
  }
}
