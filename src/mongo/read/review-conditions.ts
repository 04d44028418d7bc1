import type { Document } from 'mongodb'
import type { Query } from '../../query/query.ts'
import type { ReviewDefinition } from '../../schema/definition.ts'
import type { Database } from '../connection/database.ts'
import { REVIEW_ROWS, REVISION } from '../versions/version-fields.ts'
import { type Conditions, matchAny, NO_CONDITIONS } from './translate-filter.ts'

export interface StageConditions {
  /** Narrows the drafts before the join, if few reviews are in the stages. */
  readonly narrowed: Conditions
  /** Decides. */
  readonly joined: Conditions
}

const NONE: StageConditions = { narrowed: NO_CONDITIONS, joined: NO_CONDITIONS }

/** Above this number of reviews, the join decides for all drafts. */
const MAX_NAMED_REVIEWS = 1_000

const JOINED = 'quire_review'

/** Selects drafts by the stage of their review, like `stageOf`. */
export async function findStageConditions(
  database: Database,
  { plan, version: { locales }, stages }: Pick<Query, 'plan' | 'version' | 'stages'>,
): Promise<StageConditions> {
  const { review } = plan
  if (stages === undefined || review === undefined) return NONE
  const joined = { lookups: [reviewLookup(plan.uid)], match: matchStages(review, stages) }
  const [first] = review.stages
  if (first === undefined || stages.includes(first.name)) return { ...NONE, joined }
  const which = { type: plan.uid, stage: { $in: [...stages] }, locale: { $in: [...locales] } }
  const found = await database
    .table<{ readonly documentId: string }>(REVIEW_ROWS)
    .find(which, {
      projection: { _id: 0, documentId: 1 },
      limit: MAX_NAMED_REVIEWS + 1,
      batchSize: MAX_NAMED_REVIEWS + 2,
    })
    .toArray()
  if (found.length > MAX_NAMED_REVIEWS) return { ...NONE, joined }
  const documentId = { $in: [...new Set(found.map((row) => row.documentId))] }
  return { narrowed: { lookups: [], match: { documentId } }, joined }
}

function reviewLookup(type: string): Document {
  const pipeline = [
    { $match: { type, $expr: { $eq: ['$locale', '$$locale'] } } },
    { $project: { _id: 0, stage: 1, revision: 1 } },
  ]
  const by = { localField: 'documentId', foreignField: 'documentId', let: { locale: '$locale' } }
  return { $lookup: { from: REVIEW_ROWS, ...by, pipeline, as: JOINED } }
}

/** A draft is in the first stage unless its review says that it is in another one. */
function matchStages({ stages }: ReviewDefinition, asked: readonly string[]): Document {
  const [first, ...others] = stages.map(({ name }) => name)
  const isFirstAsked = first !== undefined && asked.includes(first)
  const named = others.filter((name) => asked.includes(name) !== isFirstAsked)
  const last = stages.at(-1)?.name
  const reached = matchAny(named.map((name) => (name === last ? isStillIn(name) : isIn(name))))
  return isFirstAsked ? { $nor: [reached] } : reached
}

function isIn(stage: string): Document {
  return { [`${JOINED}.stage`]: stage }
}

/** The last stage ends with the revision. A draft from before revisions was not written since. */
function isStillIn(stage: string): Document {
  const reviewed = { $arrayElemAt: [`$${JOINED}.revision`, 0] }
  const present = { $ifNull: [`$${REVISION}`, reviewed] }
  return { $and: [isIn(stage), { $expr: { $eq: [present, reviewed] } }] }
}
