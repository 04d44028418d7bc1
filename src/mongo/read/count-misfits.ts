import type { Document } from 'mongodb'
import type { ContentTypePlan, AttributePlan } from '../../schema/plan.ts'
import type { ScalarType } from '../../schema/definition.ts'
import type { Database } from '../connection/database.ts'
import { versionsOf } from '../versions/stored-version.ts'
import { BULK_TIMEOUT_MS } from './get-versions.ts'

export interface Misfits {
  readonly values: number
  /** Values of other BSON types than the attribute stores. Responses do not show them. */
  readonly misfits: number
}

/** Counts the values of an attribute in all versions. Scans the collection. */
export async function countMisfits(
  database: Database,
  plan: ContentTypePlan,
  attribute: AttributePlan,
): Promise<Misfits> {
  const { storedName } = attribute
  const given = { [storedName]: { $ne: null } }
  const types = storedTypes(attribute)
  const options = { maxTimeMS: BULK_TIMEOUT_MS }
  const rows = versionsOf(database, plan)
  const values = await rows.countDocuments(given, options)
  if (types === null || values === 0) return { values, misfits: 0 }
  const misfitting = { $and: [given, { $nor: types.map((type) => isOfType(storedName, type)) }] }
  return { values, misfits: await rows.countDocuments(misfitting, options) }
}

/** `$type` looks at the elements of a list, so lists are recognized by their first element. */
function isOfType(name: string, type: string): Document {
  const isList = { $or: [{ [name]: { $size: 0 } }, { [`${name}.0`]: { $exists: true } }] }
  return type === 'array' ? isList : { $and: [{ [name]: { $type: type } }, { $nor: [isList] }] }
}

/** Null for types that store any value. */
function storedTypes(attribute: AttributePlan): readonly string[] | null {
  switch (attribute.kind) {
    case 'scalar':
      return SCALARS[attribute.type]
    case 'relation':
      return [attribute.toMany ? 'array' : 'string']
    case 'media':
      return [attribute.multiple ? 'array' : 'string']
    case 'component':
      return [attribute.repeatable ? 'array' : 'object']
    case 'dynamiczone':
      return ['array']
  }
}

const NUMBERS = ['int', 'long', 'double'] as const

const SCALARS: Readonly<Record<ScalarType, readonly string[] | null>> = {
  string: ['string'],
  text: ['string'],
  richtext: ['string'],
  email: ['string'],
  password: ['string'],
  uid: ['string'],
  enumeration: ['string'],
  time: ['string'],
  integer: NUMBERS,
  float: NUMBERS,
  biginteger: ['long'],
  decimal: ['decimal'],
  boolean: ['bool'],
  date: ['date'],
  datetime: ['date'],
  timestamp: ['date'],
  blocks: ['array'],
  json: null,
  location: ['object'],
}
