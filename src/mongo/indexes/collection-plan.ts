import type { Document } from 'mongodb'
import type { IndexDefinition, ScalarType } from '../../schema/definition.ts'
import type { ContentTypePlan, ScalarPlan, Schema } from '../../schema/plan.ts'
import { INDEX_PREFIX, uniqueIndexName } from '../versions/index-names.ts'
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
}

const FIRST_DATE = new Date(-8_640_000_000_000_000)

/** By content-type uid. */
export function compileCollections(
  schema: Pick<Schema, 'contentTypes'>,
): ReadonlyMap<string, CollectionPlan> {
  return new Map(
    [...schema.contentTypes.values()].map((plan) => [plan.uid, compileCollection(plan)]),
  )
}

function compileCollection(plan: ContentTypePlan): CollectionPlan {
  const owned = [...plan.attributes.values()].filter(
    (attribute) =>
      attribute.kind === 'media' || (attribute.kind === 'relation' && attribute.side === 'owner'),
  )
  return {
    name: plan.collectionName,
    indexes: [
      DOCUMENT_INDEX,
      LIST_INDEX,
      COUNT_INDEX,
      ...orderedBy(plan).map(orderIndex),
      ...uniqueAttributes(plan).map((unique) => uniqueIndex(plan, unique)),
      ...owned.map(({ name }) => relationIndex(name)),
      ...plan.indexes.map(declaredIndex),
    ],
  }
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
