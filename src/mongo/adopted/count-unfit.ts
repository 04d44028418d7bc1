import type { Document } from 'mongodb'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { BULK_TIMEOUT_MS } from '../read/get-versions.ts'
import type { AttributePlan } from '../../schema/plan.ts'
import { type AdoptedType, rowExpression } from '../versions/adopted-expression.ts'

export interface Unfit {
  readonly documents: number
  /** Whether the collection has more documents than were read. */
  readonly isPart: boolean
  /** By attribute: documents whose value has another type. Only attributes with such values. */
  readonly attributes: ReadonlyMap<string, number>
}

/** Bounds the time of an examination. */
export const MAX_EXAMINED = 100_000

/** Counts values that responses show as null, or without some of their elements. Values in components are not read. */
export async function countUnfit(database: Database, plan: AdoptedType): Promise<Unfit> {
  const row = rowExpression(plan)
  const read = [...plan.attributes.values()].filter(({ storedName }) => storedName in row)
  const counted = read.map((attribute, index) => {
    const given = `$${plan.adopted.pathOf(attribute.name)}`
    return [`a${index}`, isUnfit(attribute, given, row[attribute.storedName] as Document)] as const
  })
  const stages = [
    { $limit: MAX_EXAMINED + 1 },
    { $project: { _id: 0, ...Object.fromEntries(counted) } },
    {
      $group: {
        _id: null,
        documents: { $sum: 1 },
        ...Object.fromEntries(counted.map(([name]) => [name, { $sum: `$${name}` }])),
      },
    },
  ]
  const [found = {}] = await asCmsErrors(() =>
    database
      .collection(plan.collectionName)
      .aggregate(stages, { maxTimeMS: BULK_TIMEOUT_MS })
      .toArray(),
  )
  const documents = Number(found['documents'] ?? 0)
  const unfit = read.map(({ name }, index) => [name, Number(found[`a${index}`] ?? 0)] as const)
  return {
    documents: Math.min(documents, MAX_EXAMINED),
    isPart: documents > MAX_EXAMINED,
    attributes: new Map(unfit.filter(([, count]) => count > 0)),
  }
}

function isUnfit(attribute: AttributePlan, given: string, shown: Document): Document {
  const isGiven = { $not: [{ $in: [{ $type: given }, ['missing', 'null']] }] }
  const isHidden = isList(attribute) ? lacksElements(given, shown) : { $eq: [shown, null] }
  return { $cond: [{ $and: [isGiven, isHidden] }, 1, 0] }
}

function isList(attribute: AttributePlan): boolean {
  return attribute.kind === 'relation'
    ? attribute.toMany
    : attribute.kind === 'component' && attribute.repeatable
}

function lacksElements(given: string, shown: Document): Document {
  const size = { $size: { $cond: [{ $isArray: [given] }, given, [null]] } }
  return { $ne: [size, { $size: shown }] }
}
