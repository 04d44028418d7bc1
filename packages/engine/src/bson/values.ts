import type * as bson from 'bson'

export class RawDocument {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

export interface Document {
  [field: string]: Value
}

/**
 * A plain number is always an int32, a double is a `Double`. `undefined` means missing, or an empty
 * array in sort and index keys.
 */
export type Value =
  | number
  | string
  | boolean
  | null
  | undefined
  | Date
  | bson.Double
  | bson.Long
  | bson.Decimal128
  | bson.ObjectId
  | bson.Binary
  | bson.BSONRegExp
  | bson.BSONSymbol
  | bson.Timestamp
  | bson.MinKey
  | bson.MaxKey
  | bson.Code
  | RawDocument
  | Document
  | Value[]

// Instances have no prototype members, so no field name is special. V8 still gives them a fast
// shape.
const Plain = function () {} as unknown as new () => Document
Plain.prototype = Object.create(null) as Document

export function createDocument(): Document {
  return new Plain()
}

export function isDocument(value: Value): value is Document {
  return value instanceof Plain
}

export function toDocument(fields: Readonly<Record<string, Value>>): Document {
  return Object.assign(createDocument(), fields)
}

export type TypeName =
  | 'missing'
  | 'minKey'
  | 'null'
  | 'int'
  | 'long'
  | 'double'
  | 'decimal'
  | 'string'
  | 'symbol'
  | 'object'
  | 'array'
  | 'binData'
  | 'objectId'
  | 'bool'
  | 'date'
  | 'timestamp'
  | 'regex'
  | 'javascript'
  | 'javascriptWithScope'
  | 'maxKey'

const WRAPPED: Readonly<Record<string, TypeName>> = {
  Double: 'double',
  Long: 'long',
  Decimal128: 'decimal',
  ObjectId: 'objectId',
  Binary: 'binData',
  BSONRegExp: 'regex',
  BSONSymbol: 'symbol',
  Timestamp: 'timestamp',
  MinKey: 'minKey',
  MaxKey: 'maxKey',
}

function objectTypeOf(value: object): TypeName {
  if (Array.isArray(value)) return 'array'
  if (value instanceof Plain || value instanceof RawDocument) return 'object'
  if (value instanceof Date) return 'date'
  const { _bsontype: kind } = value as { _bsontype: string }
  if (kind === 'Code') return (value as bson.Code).scope ? 'javascriptWithScope' : 'javascript'
  return WRAPPED[kind] ?? 'object'
}

export function getType(value: Value): TypeName {
  if (typeof value === 'number') return 'int'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (value === undefined) return 'missing'
  return value === null ? 'null' : objectTypeOf(value)
}

/** The rank of each type in MongoDB's comparison order, and the first byte of an encoded key. */
export const TYPE_RANKS: Readonly<Record<TypeName, number>> = {
  minKey: 0x0a,
  missing: 0x10,
  null: 0x14,
  int: 0x1e,
  long: 0x1e,
  double: 0x1e,
  decimal: 0x1e,
  string: 0x3c,
  symbol: 0x3c,
  object: 0x46,
  array: 0x50,
  binData: 0x5a,
  objectId: 0x64,
  bool: 0x6e,
  date: 0x78,
  timestamp: 0x82,
  regex: 0x8c,
  javascript: 0x96,
  javascriptWithScope: 0x98,
  maxKey: 0xf0,
}

export function getRank(value: Value): number {
  return TYPE_RANKS[getType(value)]
}

export function cloneValue<T extends Value>(value: T): T {
  if (Array.isArray(value)) return value.map((element) => cloneValue(element)) as T
  if (!isDocument(value)) return value
  const copy = createDocument()
  for (const field of Object.keys(value)) copy[field] = cloneValue(value[field])
  return copy as T
}
