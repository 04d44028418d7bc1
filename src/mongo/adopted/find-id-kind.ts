import { Binary, Decimal128, Long, ObjectId } from 'mongodb'
import type { AdoptedIdKind } from '../../schema/definition.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { uuidText } from '../versions/adopted-rows.ts'

export interface FoundIdKind {
  /** Null for an empty collection. */
  readonly kind: AdoptedIdKind | null
  readonly fault: string | null
}

/**
 * Values of one BSON type are next to each other in an index, and binary data are sorted by length and subtype, so the
 * lowest and the highest `_id` tell the type of all others.
 */
export async function findIdKind(database: Database, collection: string): Promise<FoundIdKind> {
  const ends = await Promise.all([
    readEnd(database, collection, 1),
    readEnd(database, collection, -1),
  ])
  const [first, last] = ends.map((end) => (end === undefined ? null : nameOfId(end)))
  if (first === null || first === undefined || last === null || last === undefined) {
    return { kind: null, fault: null }
  }
  if (first !== last) {
    return { kind: null, fault: `${collection} has ids of several types: ${first} and ${last}` }
  }
  return isKind(first)
    ? { kind: first, fault: null }
    : { kind: null, fault: `${collection} has ids of the type ${first}; ${KINDS_TEXT}` }
}

const KINDS: readonly AdoptedIdKind[] = ['objectId', 'uuid', 'text', 'number']
const KINDS_TEXT = 'an adopted collection has ObjectIds, UUIDs, texts or numbers'

function isKind(name: string): name is AdoptedIdKind {
  return (KINDS as readonly string[]).includes(name)
}

async function readEnd(
  database: Database,
  collection: string,
  direction: 1 | -1,
): Promise<unknown> {
  const options = {
    projection: { _id: 1 },
    maxTimeMS: database.queryTimeoutMs,
  }
  const [found] = await asCmsErrors(() =>
    database
      .collection(collection)
      .find({}, options)
      .sort({ _id: direction })
      .limit(1)
      .batchSize(2)
      .toArray(),
  )
  return found?._id
}

/** The documentId of a served document. Null for ids of other kinds, which are not served. */
export function findIdText(kind: AdoptedIdKind, id: unknown): string | null {
  if (nameOfId(id) !== kind) return null
  return id instanceof Binary ? uuidText(id) : String(id)
}

/** The kind, or the name of a type that no kind has. */
function nameOfId(id: unknown): string {
  if (id instanceof ObjectId) return 'objectId'
  if (typeof id === 'string') return 'text'
  if (typeof id === 'number' || typeof id === 'bigint' || id instanceof Long) return 'number'
  if (id instanceof Decimal128) return 'decimal'
  if (id instanceof Binary) return uuidText(id) === null ? 'binary data' : 'uuid'
  return id instanceof Date ? 'date' : typeof id
}
