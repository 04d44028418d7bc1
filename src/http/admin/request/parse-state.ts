import { ENTRY_STATES, type EntryState } from '../../../query/query.ts'
import { invalidValue } from '../../../query/query-error.ts'
import type { Data } from '../../../schema/definition.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'

export function parseState({ state, status }: Data, plan: ContentTypePlan): readonly EntryState[] {
  if (state === undefined) return []
  const is = ENTRY_STATES.find((one) => one === state)
  if (is === undefined) throw invalidValue('state', `expected one of ${ENTRY_STATES.join(', ')}`)
  if (!plan.draftAndPublish || status !== 'draft') {
    throw invalidValue('state', 'only drafts of types with draft & publish have one')
  }
  return [is]
}
