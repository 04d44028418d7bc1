import { contentOf } from '../../../documents/write/same-content.ts'
import { ENTRY_STATES, type StateCondition } from '../../../query/query.ts'
import { invalidValue } from '../../../query/query-error.ts'
import type { Data } from '../../../schema/definition.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'

/**
 * The state that a list is narrowed down to; null where the request asks for none.
 * @throws ValidationError for another word, and where entries have no such states
 */
export function askedState({ state, status }: Data, plan: ContentTypePlan): StateCondition | null {
  if (state === undefined) return null
  const is = ENTRY_STATES.find((one) => one === state)
  if (is === undefined) throw invalidValue('state', `expected one of ${ENTRY_STATES.join(', ')}`)
  if (!plan.draftAndPublish || status !== 'draft') {
    throw invalidValue('state', 'only drafts of types with draft & publish have one')
  }
  return { is, unset: contentOf(plan, {}) }
}
