import type { Document } from 'mongodb'
import type { IndexDefinition, ScalarType } from '../../schema/definition.ts'
import type { ContentTypePlan, ScalarPlan, Schema } from '../../schema/plan.ts'
import { INDEX_PREFIX, uniqueIndexName } from '../versions/index-names.ts'
import { STATE } from '../versions/line-state.ts'
import { uniqueAttributes } from '../write/unique-values.ts'

/** An index that content needs; the name of one that replaces another begins with this one (`planNameOf`). */
export interface IndexPlan {
  readonly name: string
  readonly key: Readonly<Record<string, 1 | -1>>
  readonly unique: boolean
  readonly partialFilterExpression: Document | null
}

/** What only the database needs to know of a content-type. */
export interface CollectionPlan {
  readonly name: string
  readonly indexes: readonly IndexPlan[]
  /** The attributes whose index has no room (`MAX_INDEXES`); of an index of several, with `+` between them. */
  readonly unindexed: readonly string[]
}

/**
 * MongoDB builds 64 indexes on a collection: `_id_` is one, and three are left to build a changed index before the old one
 * is dropped, and for indexes that an operator adds.
 * https://www.mongodb.com/docs/manual/reference/limits/
 */
export const MAX_INDEXES = 60

const FIRST_DATE = new Date(-8_640_000_000_000_000)

/** By content-type uid. */
export function compileCollections(
  schema: Pick<Schema, 'contentTypes'>,
): ReadonlyMap<string, CollectionPlan> {
  return new Map(
    [...schema.contentTypes.values()].map((plan) => [plan.uid, compileCollection(plan)]),
  )
}

/** Indexes beyond `MAX_INDEXES` are left out from the end: media, relations, the order by moments, declared indexes. */
function compileCollection(plan: ContentTypePlan): CollectionPlan {
  const attributes = [...plan.attributes.values()]
  const relations = attributes.filter(
    (attribute) => attribute.kind === 'relation' && attribute.side === 'owner',
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
      index: declaredIndex(index),
    })),
    ...orderedBy(plan).map((moment) => ({ attributes: moment, index: orderIndex(moment) })),
    ...[...relations, ...media].map(({ name }) => ({
      attributes: name,
      index: relationIndex(name),
    })),
  ]
  const room = Math.max(0, MAX_INDEXES - needed.length)
  return {
    name: plan.collectionName,
    indexes: [...needed, ...byWorth.slice(0, room).map(({ index }) => index)],
    unindexed: byWorth.slice(room).map(({ attributes }) => attributes),
  }
}

/** A sentence for each content-type whose collection has no room for all of its indexes. */
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

/** Finds whether a document exists in any locale and status. */
const DOCUMENT_INDEX: IndexPlan = {
  name: `${INDEX_PREFIX}document`,
  key: { documentId: 1 },
  unique: false,
  partialFilterExpression: null,
}

/** Finds the owners of a target: inverse sides, filters through the relation and a file's users live by it. */
function relationIndex(attribute: string): IndexPlan {
  return {
    name: `${INDEX_PREFIX}relation_${attribute}`,
    key: { [attribute]: 1, status: 1, locale: 1 },
    unique: false,
    partialFilterExpression: null,
  }
}

/** Serves the default order, and every list that is filtered by what has no index of its own. */
const LIST_INDEX: IndexPlan = {
  name: `${INDEX_PREFIX}list`,
  key: { status: 1, locale: 1, id: 1 },
  unique: false,
  partialFilterExpression: null,
}

/**
 * The moments that clients order by, the newest entries first, and that no declared index serves: two of one key
 * cannot be.
 */
function orderedBy({ kind, draftAndPublish, indexes }: ContentTypePlan): readonly string[] {
  if (kind === 'singleType') return []
  const moments = draftAndPublish ? ['createdAt', 'publishedAt'] : ['createdAt']
  const declared = indexes.flatMap(([key, ...others]) => (others.length === 0 ? key?.path : []))
  return moments.filter((moment) => !declared.includes(moment))
}

/** Serves an order by an attribute, and backwards the opposite: both end in `id` in the attribute's direction. */
function orderIndex(attribute: string): IndexPlan {
  return {
    name: `${INDEX_PREFIX}order_${attribute}`,
    key: { status: 1, locale: 1, [attribute]: 1, id: 1 },
    unique: false,
    partialFilterExpression: null,
  }
}

/**
 * Counts a whole list. The index of lists could, with a key for each version: DocumentDB takes six times as long
 * to count those as to count under the few keys of this one (100,000 versions: 150 and 25 ms).
 */
const COUNT_INDEX: IndexPlan = {
  name: `${INDEX_PREFIX}count`,
  key: { status: 1, locale: 1 },
  unique: false,
  partialFilterExpression: null,
}

/** The same with the few states of drafts, by which the Studio lists and counts them. */
const STATE_INDEX: IndexPlan = { ...COUNT_INDEX, key: { ...COUNT_INDEX.key, [STATE]: 1 } }

/**
 * Of the attributes that the content-type names, behind what every query names: one index serves equality
 * and ranges, the order of the attributes with its tie-break, and backwards the opposite.
 */
function declaredIndex(index: IndexDefinition): IndexPlan {
  const names = index.map(({ path, direction }) => (direction === 1 ? path : `${path}-desc`))
  const paths = index.map(({ path, direction }) => [path, direction] as const)
  return {
    name: `${INDEX_PREFIX}index_${names.join('_')}`,
    key: { status: 1, locale: 1, ...Object.fromEntries(paths), id: index.at(-1)?.direction ?? 1 },
    unique: false,
    partialFilterExpression: null,
  }
}

/**
 * Within one locale no two published versions share a value; null and the empty text may repeat.
 * Partial filters know neither `$ne` nor `$exists: false`
 * (https://www.mongodb.com/docs/manual/core/index-partial/), so they start above the lowest value.
 */
function uniqueIndex({ sharded }: ContentTypePlan, { name, type }: ScalarPlan): IndexPlan {
  return {
    name: uniqueIndexName(name),
    key: { [name]: 1, locale: 1 },
    unique: !sharded, // there reservations hold it, and the index serves to look
    partialFilterExpression: { status: 'published', [name]: PRESENT[type] ?? { $gt: '' } },
  }
}

/** Above or from the lowest value of each kind: comparisons never leave the operand's BSON type. */
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
