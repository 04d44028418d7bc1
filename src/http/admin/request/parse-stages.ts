import { invalidValue } from '../../../query/query-error.ts'
import type { Query } from '../../../query/query.ts'
import type { Data } from '../../../schema/definition.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'

/** One stage or a list of stages. @throws ValidationError */
export function parseStages(
  { stage, status }: Data,
  { review }: ContentTypePlan,
): Pick<Query, 'stages'> {
  if (stage === undefined) return {}
  if (review === undefined || status !== 'draft') {
    throw invalidValue('stage', 'only drafts of types with a review have one')
  }
  const names: readonly unknown[] = review.stages.map(({ name }) => name)
  const asked: readonly unknown[] = Array.isArray(stage) ? stage : [stage]
  if (asked.length === 0 || !asked.every((one) => names.includes(one))) {
    throw invalidValue('stage', `expected ${names.join(', ')}, or a list of these`)
  }
  return { stages: asked.map(String) }
}
