import { BSON } from 'mongodb'
import type { ScalarType } from '../../schema/definition.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import { isoText } from '../../schema/values/temporal.ts'
import { DECODING, decodeVersion } from './stored-version.ts'

/** A scalar attribute that a text shows. */
export interface TextMember {
  readonly name: string
  readonly type: ScalarType
}

/** Writes a version, given as the bytes that the database has sent, as the JSON text of an entry. */
export type WriteVersion = (bytes: Uint8Array) => string

interface Value {
  readonly bytes: Buffer
  readonly type: number
  /** Where its bytes begin and end. */
  readonly at: number
  readonly end: number
}

interface Plain {
  readonly kinds: ReadonlySet<ScalarType>
  /** Null for what the driver decodes. */
  readonly write: (value: Value) => string | null
}

/** Types of BSON by their numbers: https://bsonspec.org/spec.html */
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

/** Bytes of a value, of types that have one length. */
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

/** By types of BSON: how values of these kinds are written. A list, as it is read for each value. */
const PLAIN: readonly (Plain | undefined)[] = listOf([
  [NULL, new Set(ALL), () => 'null'],
  [STRING, new Set(ALL.filter((kind) => kind !== 'time')), writeText],
  [BOOLEAN, new Set(['boolean']), ({ bytes, at }) => String(bytes[at] === 1)],
  [INT32, NUMBERS, ({ bytes, at }) => String(bytes.readInt32LE(at))],
  [DOUBLE, NUMBERS, ({ bytes, at }) => JSON.stringify(bytes.readDoubleLE(at))],
  [INT64, new Set(['biginteger']), ({ bytes, at }) => `"${bytes.readBigInt64LE(at)}"`],
  [DATE, new Set(['datetime']), ({ bytes, at }) => `"${isoText(readTime(bytes, at))}"`],
])

/** What JSON writes as it is: ASCII without quotes, backslashes and control characters. */
const PLAIN_TEXT = /^[ !#-[\]-\x7f]*$/

function listOf(
  rows: readonly (readonly [number, Plain['kinds'], Plain['write']])[],
): readonly (Plain | undefined)[] {
  const list: (Plain | undefined)[] = []
  for (const [type, kinds, write] of rows) list[type] = { kinds, write }
  return list
}

/** Where a text cannot be written from the bytes of its version. */
const UNKNOWN = -1

/**
 * Writes entries of these members, in this order, as `JSON.stringify` writes what `toJson` of their kinds makes of the decoded
 * version, in less than half of its time: no version, entry or value is built, and a text that is ASCII is copied. What is stored
 * in another form than the type's own is decoded by the driver.
 */
export function compileVersionText(members: readonly TextMember[]): WriteVersion {
  const heads = members.map(({ name }, place) => `${place === 0 ? '{' : ','}"${name}":`)
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

/** A field of stored versions. */
interface Field {
  /** With the NUL behind it. */
  readonly name: Buffer
  /** Which member it is; none is unknown. */
  readonly place: number
}

/**
 * Which field comes at a byte. Nearly all versions of a type have the same fields in the same order, so the one that had
 * the same number in the version before is compared first.
 */
function openFields(members: readonly TextMember[]) {
  const places = new Map(members.map(({ name }, place) => [name, place]))
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

/** A call of `Buffer#compare` takes longer than the few bytes of a name. */
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

/** Null for what the driver decodes. */
function writePlain(value: Value, kind: ScalarType): string | null {
  const plain = PLAIN[value.type]
  return plain?.kinds.has(kind) === true ? plain.write(value) : null
}

/** Exact up to what a `Date` can hold, without a `bigint`. */
function readTime(bytes: Buffer, at: number): number {
  return bytes.readInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at)
}

/** Null for what is no UTF-8: the driver says so. */
function writeText({ bytes, at, end }: Value): string | null {
  const ascii = bytes.toString('latin1', at + 4, end - 1)
  if (PLAIN_TEXT.test(ascii)) return `"${ascii}"`
  const text = bytes.toString('utf8', at + 4, end - 1)
  return text.includes('\ufffd') ? null : JSON.stringify(text)
}

/** The length of a document, the type and name of its one value, and its end. */
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
    const version = decodeVersion(bytes)
    const values = members.map(({ name, type }) => `"${name}":${writeJson(version[name], type)}`)
    return `{${values.join(',')}}`
  }
}
