import { createHmac } from 'node:crypto'
import { Binary, BSON, DBRef, Decimal128, type Document, Long, ObjectId, UUID } from 'mongodb'
import type { AdoptedIdKind, Data } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import {
  type AttributePlan,
  type ContentTypePlan,
  isNesting,
  type ShapePlan,
} from '../../schema/plan.ts'
import { storedJson } from '../../schema/values/json-values.ts'
import { type AdoptedType, isAdopted, rowExpression } from './adopted-expression.ts'
import { REVISION } from './version-fields.ts'
import { versionId } from './version-match.ts'

/** Not every pattern of a stored expression is one of JavaScript. */
const DECODING = { useBigInt64: true, bsonRegExp: true } as const

/** Encodes a found row again, with the values that rows of the version store have. */
export function adoptedBytes(plan: ShapePlan, bytes: Uint8Array): Uint8Array {
  return BSON.serialize(adoptedRow(plan, BSON.deserialize(bytes, DECODING)))
}

/** The same with the id of the only version, if the row has an `_id`. */
export function versionBytes(keyed: KeyedType, bytes: Uint8Array): Uint8Array {
  return BSON.serialize(versionRow(keyed, BSON.deserialize(bytes, DECODING)))
}

export interface KeyedType {
  readonly plan: AdoptedType
  /** `Database.revisionKey` */
  readonly key: Uint8Array
}

export function versionRow({ plan, key }: KeyedType, found: Document): Document {
  const row = adoptedRow(plan, found)
  const revision = plan.adopted.isWritable ? revisionIn({ plan, key }, row) : null
  const revised = revision === null ? row : { ...row, [REVISION]: revision }
  if (found['_id'] === undefined) return revised
  const documentId = String(row['documentId'] ?? row['_id'])
  return { ...revised, _id: versionId(documentId, { locale: NO_LOCALE, status: 'published' }) }
}

/** The members for the digest of a row. Null for types without digests. */
export function digestedProjection(plan: ContentTypePlan): Document | null {
  if (!isAdopted(plan) || !plan.adopted.isWritable) return null
  return {
    _id: 0,
    ...Object.fromEntries(Object.keys(rowExpression(plan)).map((name) => [name, 1])),
  }
}

/**
 * The declared version, or a digest of the values. Null for a row without some of its members. Clients get the digest,
 * and could guess values that they may not see from one without a key.
 */
function revisionIn({ plan, key }: KeyedType, row: Document): string | null {
  const version: unknown = row[REVISION]
  if (typeof version === 'string') return version
  const names = Object.keys(rowExpression(plan))
  if (!names.every((name) => name in row)) return null
  const values = names.map((name) => [name, row[name] as unknown] as const)
  const bytes = BSON.serialize(Object.fromEntries(values))
  return createHmac('sha256', key).update(bytes).digest('hex').slice(0, 16)
}

export function adoptedRow(holder: ShapePlan, found: Document): Document {
  const row: Document = {}
  for (const [name, value] of Object.entries(found) as [string, unknown][]) {
    const attribute = holder.stored.get(name)
    row[name] = attribute === undefined ? withTexts(value) : shownValue(attribute, value)
  }
  return row
}

/** Other members than attributes are ids, or results of stages on them. */
function withTexts(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value) // an `id`; the documentId has all digits
  if (value instanceof Binary) return uuidText(value)
  if (value instanceof ObjectId) return value.toHexString()
  if (Array.isArray(value)) return value.map(withTexts)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withTexts(inner)]))
}

function isPlain(value: unknown): value is Data {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}

function shownValue(attribute: AttributePlan, value: unknown): unknown {
  if (attribute.kind === 'scalar') {
    if (attribute.type === 'json') return storedJson(plainJson(value, 0))
    const isNumber = attribute.type === 'integer' || attribute.type === 'float'
    return isNumber && !isAbsent(value) ? Number(String(value)) : value
  }
  if (!isNesting(attribute) || attribute.kind !== 'component') return withTexts(value)
  const shape = attribute.component()
  const one = (element: unknown): unknown =>
    isPlain(element) ? adoptedRow(shape, element) : element
  return Array.isArray(value) ? value.map(one) : one(value)
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined
}

/** Deeper values become null. */
const MAX_DEPTH = 50

/** BSON has types without a JSON form. The value is decoded, with promoted numbers or without. */
export function plainJson(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return null
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  return typeof value === 'object' && value !== null ? plainObject(value, depth) : null
}

function plainObject(value: object, depth: number): unknown {
  if (Array.isArray(value)) return value.map((one) => plainJson(one, depth + 1))
  const members = value instanceof DBRef ? membersOfReference(value) : value
  if (!isPlain(members)) return FORMS.find(({ isOf }) => isOf(value))?.plain(value) ?? null
  return Object.fromEntries(
    Object.entries(members).map(([name, inner]) => [name, plainJson(inner, depth + 1)]),
  )
}

/** The driver decodes documents with `$ref` and `$id` as references. */
export function membersOfReference({ collection, oid, db, fields }: DBRef): Document {
  return { $ref: collection, $id: oid, ...(db !== undefined && { $db: db }), ...fields }
}

interface JsonForm {
  readonly isOf: (value: object) => boolean
  readonly plain: (value: object) => unknown
}

function formOf<T extends object>(
  type: abstract new (...given: never[]) => T,
  plain: (value: T) => unknown,
): JsonForm {
  return { isOf: (value) => value instanceof type, plain: (value) => plain(value as T) }
}

const FORMS: readonly JsonForm[] = [
  formOf(Date, (date) => (Number.isNaN(date.getTime()) ? null : date.toISOString())),
  formOf(ObjectId, (id) => id.toHexString()),
  formOf(Decimal128, String),
  formOf(Binary, (binary) => uuidText(binary) ?? binary.toString('base64')),
  formOf(BSON.Timestamp, String), // a subclass of Long
  formOf(Long, (long) => plainJson(long.toBigInt(), 0)),
  formOf(BSON.Int32, (number) => plainJson(number.value, 0)),
  formOf(BSON.Double, (number) => plainJson(number.value, 0)),
  formOf(BSON.BSONRegExp, ({ pattern, options }) => `/${pattern}/${options}`),
  formOf(BSON.BSONSymbol, String),
  formOf(BSON.Code, ({ code }) => code),
  formOf(BSON.MinKey, () => 'MinKey'),
  formOf(BSON.MaxKey, () => 'MaxKey'),
]

const OBJECT_ID = /^[0-9a-f]{24}$/
const UUID_TEXT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const WHOLE = /^(?:0|-?[1-9]\d{0,18})$/

/** The `_id` with this documentId. Undefined if no `_id` of the kind has it. */
export function idOfText(kind: AdoptedIdKind, text: string): unknown {
  switch (kind) {
    case 'objectId':
      return OBJECT_ID.test(text) ? ObjectId.createFromHexString(text) : undefined
    case 'uuid':
      return UUID_TEXT.test(text) ? new UUID(text) : undefined
    case 'text':
      return text
    case 'number':
      return numberOfText(text)
  }
}

function numberOfText(text: string): unknown {
  if (WHOLE.test(text)) {
    const number = Number(text)
    return Number.isSafeInteger(number) ? number : Long.fromString(text)
  }
  const number = Number(text)
  return String(number) === text && Number.isFinite(number) ? number : undefined
}

export function isObjectIdText(text: string): boolean {
  return OBJECT_ID.test(text)
}

/** Other binary data have no text. */
export function uuidText(value: Binary): string | null {
  const isUuid = value.sub_type === Binary.SUBTYPE_UUID && value.position === UUID_BYTES
  return isUuid ? value.toUUID().toString() : null
}

const UUID_BYTES = 16
