import type { Document } from 'mongodb'
import type { IndexDefinition, ScalarType } from '../../schema/definition.ts'
import type { ContentTypePlan, ScalarPlan, Schema } from '../../schema/plan.ts'
import { INDEX_PREFIX, indexName, uniqueIndexName } from '../versions/index-names.ts'
import { linkHoldersOf, linkIndexName } from '../versions/link-index.ts'
import { storedPathOf } from '../../schema/stored-path.ts'
import { STATE_FIELD } from '../versions/version-fields.ts'
import { uniqueAttributes } from '../write/unique-values.ts'

export interface IndexPlan {
  readonly name: string
  readonly key: Readonly<Record<string, 1 | -1>>
  readonly unique: boolean
  readonly partialFilterExpression: Document | null
  /** The key on databases other than the embedded engine. Absent if it is the same. */
  readonly serverKey?: IndexPlan['key']
}

export interface CollectionPlan {
  readonly name: string
  readonly indexes: readonly IndexPlan[]
  /** Attributes beyond `MAX_INDEXES`. Those of a compound index are joined with `+`. */
  readonly unindexed: readonly string[]
}

/** MongoDB allows 64 with `_id_` (https://www.mongodb.com/docs/manual/reference/limits/). Three are reserved. */
export const MAX_INDEXES = 60

const FIRST_DATE = new Date(-8_640_000_000_000_000)

/** Adopted collections have the indexes of their own service. */
export function compileCollections(
  schema: Pick<Schema, 'contentTypes'>,
): ReadonlyMap<string, CollectionPlan> {
  return new Map(
    [...schema.contentTypes.values()]
      .filter(({ adopted }) => adopted === undefined)
      .map((plan) => [plan.uid, compileCollection(plan)]),
  )
}

/** Above `MAX_INDEXES`, drops in this order: links in blocks, media, relations, locations, date orders, declared indexes. */
function compileCollection(plan: ContentTypePlan): CollectionPlan {
  const attributes = [...plan.attributes.values()]
  const relations = attributes.filter(
    (attribute) => attribute.kind === 'relation' && attribute.side === 'owner',
  )
  const locations = attributes.filter(
    (attribute) => attribute.kind === 'scalar' && attribute.type === 'location',
  )
  const media = attributes.filter(({ kind }) => kind === 'media')
  const needed = [
    DOCUMENT_INDEX,
    LIST_INDEX,
    plan.draftAndPublish ? STATE_INDEX : COUNT_INDEX,
    ...uniqueAttributes(plan).map((unique) => uniqueIndex(plan, unique)),
  ]
  const byWorth = [
    ...plan.indexes.map((index) => ({
      attributes: index.map(({ path }) => path).join('+'),
      index: declaredIndex(plan, index),
    })),
    ...orderedBy(plan).map((moment) => ({ attributes: moment, index: orderIndex(moment) })),
    ...locations.map(({ name, storedName }) => ({
      attributes: name,
      index: locationIndex(storedName),
    })),
    ...[...relations, ...media].map(({ name, storedName }) => ({
      attributes: name,
      index: relationIndex(storedName),
    })),
    ...linkHoldersOf(plan).map((attribute) => ({
      attributes: `links in ${attribute.name}`,
      index: relationIndex(linkIndexName(attribute)),
    })),
  ]
  const room = Math.max(0, MAX_INDEXES - needed.length)
  return {
    name: plan.collectionName,
    indexes: [...needed, ...byWorth.slice(0, room).map(({ index }) => index)],
    unindexed: byWorth.slice(room).map(({ attributes }) => attributes),
  }
}

export function explainUnindexed(
  collections: ReadonlyMap<string, CollectionPlan>,
): readonly string[] {
  return [...collections]
    .filter(([, { unindexed }]) => unindexed.length > 0)
    .map(
      ([uid, { indexes, unindexed }]) =>
        `${uid} has room for ${MAX_INDEXES} indexes and declares ${indexes.length + unindexed.length}: ` +
        `filters and sorts by ${unindexed.join(', ')} read the whole list`,
    )
}

const DOCUMENT_INDEX: IndexPlan = {
  name: `${INDEX_PREFIX}document`,
  key: { documentId: 1 },
  unique: false,
  partialFilterExpression: null,
}

/** Serves inverse relations, relation filters and the usages of a file. */
function relationIndex(attribute: string): IndexPlan {
  return {
    name: indexName(`relation_${attribute}`),
    key: { [attribute]: 1, status: 1, locale: 1 },
    unique: false,
    partialFilterExpression: null,
  }
}

/** Serves areas. DocumentDB bounds numbers in a list at one end only, so it reads a range of whole points (`boundPlaces`). */
function locationIndex(attribute: string): IndexPlan {
  const [latitude, longitude] = [`${attribute}.coordinates.1`, `${attribute}.coordinates.0`]
  return {
    name: indexName(`location_${attribute}`),
    key: { status: 1, locale: 1, [latitude]: 1, [longitude]: 1, id: 1 },
    serverKey: { status: 1, locale: 1, [attribute]: 1, id: 1 },
    unique: false,
    partialFilterExpression: null,
  }
}

/** Serves the default order and all lists that are filtered by unindexed attributes. */
const LIST_INDEX: IndexPlan = {
  name: `${INDEX_PREFIX}list`,
  key: { status: 1, locale: 1, id: 1 },
  unique: false,
  partialFilterExpression: null,
}

/** The dates that clients sort by, newest first, unless a declared index has the same key. */
function orderedBy({ kind, draftAndPublish, indexes }: ContentTypePlan): readonly string[] {
  if (kind === 'singleType') return []
  const moments = draftAndPublish ? ['createdAt', 'publishedAt'] : ['createdAt']
  const declared = indexes.flatMap(([key, ...others]) => (others.length === 0 ? key?.path : []))
  return moments.filter((moment) => !declared.includes(moment))
}

function orderIndex(attribute: string): IndexPlan {
  return {
    name: `${INDEX_PREFIX}order_${attribute}`,
    key: { status: 1, locale: 1, [attribute]: 1, id: 1 },
    unique: false,
    partialFilterExpression: null,
  }
}

/** DocumentDB counts few distinct keys six times faster than the unique keys of the list index. */
const COUNT_INDEX: IndexPlan = {
  name: `${INDEX_PREFIX}count`,
  key: { status: 1, locale: 1 },
  unique: false,
  partialFilterExpression: null,
}

/** The count index plus the state. The Studio lists and counts drafts by state. */
const STATE_INDEX: IndexPlan = { ...COUNT_INDEX, key: { ...COUNT_INDEX.key, [STATE_FIELD]: 1 } }

/** Serves equality, ranges, and both directions of the order including the tie-break. */
function declaredIndex(plan: ContentTypePlan, declared: IndexDefinition): IndexPlan {
  const index = declared.map((key) => ({ ...key, path: storedPathOf(plan, key.path) }))
  const names = index.map(({ path, direction }) => (direction === 1 ? path : `${path}-desc`))
  const paths = index.map(({ path, direction }) => [path, direction] as const)
  return {
    name: indexName(`index_${names.join('_')}`),
    key: { status: 1, locale: 1, ...Object.fromEntries(paths), id: index.at(-1)?.direction ?? 1 },
    unique: false,
    partialFilterExpression: null,
  }
}

/**
 * Null and the empty text may repeat. Partial filters do not support `$ne`, so they start above the
 * lowest value: https://www.mongodb.com/docs/manual/core/index-partial/
 */
function uniqueIndex({ sharded }: ContentTypePlan, { storedName, type }: ScalarPlan): IndexPlan {
  return {
    name: uniqueIndexName(storedName),
    key: { [storedName]: 1, locale: 1 },
    unique: !sharded, // reservations enforce uniqueness in sharded collections
    partialFilterExpression: { status: 'published', [storedName]: PRESENT[type] ?? { $gt: '' } },
  }
}

/** Matches all present values of a type: comparisons only match the BSON type of the operand. */
const PRESENT: Partial<Record<ScalarType, Document>> = {
  integer: { $gte: -Infinity },
  biginteger: { $gte: -Infinity },
  decimal: { $gte: -Infinity },
  float: { $gte: -Infinity },
  boolean: { $gte: false },
  date: { $gte: FIRST_DATE },
  datetime: { $gte: FIRST_DATE },
  timestamp: { $gte: FIRST_DATE },
}
