import Joi from 'joi'
import type { DeclarationFault, ReviewDefinition, ReviewStage } from '../definition.ts'
import { declarationFault } from './declaration-fault.ts'

export type DeclaredReview = boolean | DeclaredStages

interface DeclaredStages {
  readonly stages?: readonly ReviewStage[]
  /** The name of the last stage. */
  readonly publish?: string
}

const MAX_STAGES = 10
const MAX_ROLES = 50

const name = Joi.string()
  .max(64)
  .pattern(/^[a-z][a-z0-9_-]*$/, 'lower-case letters, digits, _ and -')

const STAGE = Joi.object({
  name: name.required(),
  roles: Joi.array().items(name).min(1).max(MAX_ROLES).unique(),
})

/** Alternatives of a flag and an object would report one fault for both. */
export const REVIEW = Joi.object({
  stages: Joi.array().items(STAGE).min(2).max(MAX_STAGES).unique('name'),
  publish: Joi.string(),
}).allow(true, false)

const USUAL_STAGES: readonly ReviewStage[] = [
  { name: 'draft' },
  { name: 'in-review' },
  { name: 'ready' },
]

interface ReviewedOptions {
  readonly draftAndPublish?: boolean
  readonly review?: DeclaredReview
}

export function findReviewFaults({
  draftAndPublish,
  review = false,
}: ReviewedOptions = {}): readonly DeclarationFault[] {
  if (review === false) return []
  const drafts = declarationFault('options.review', 'declare.reviewDrafts')
  return [...(draftAndPublish === true ? [] : [drafts]), ...publishFaults(stagesOf(review))]
}

function publishFaults({ stages, publish }: Required<DeclaredStages>): readonly DeclarationFault[] {
  const name = stages.at(-1)?.name ?? ''
  if (publish === NO_STAGE || publish === name) return []
  return [declarationFault('options.review.publish', 'declare.reviewPublish', { name })]
}

export function toReview(review: DeclaredReview = false): { readonly review?: ReviewDefinition } {
  if (review === false) return {}
  const { stages, publish } = stagesOf(review)
  return { review: { stages, publishesLastOnly: publish !== NO_STAGE } }
}

/** No name of a stage is empty. */
const NO_STAGE = ''

function stagesOf(review: Exclude<DeclaredReview, false>): Required<DeclaredStages> {
  const { stages = USUAL_STAGES, publish = NO_STAGE } = review === true ? {} : review
  return { stages, publish }
}
