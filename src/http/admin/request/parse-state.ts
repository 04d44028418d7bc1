import { assertOtherVersionShown } from '../../../query/shown-publication.ts'
import { ENTRY_STATES, type EntryState, type QueryRules } from '../../../query/query.ts'
import { invalidValue } from '../../../query/query-error.ts'
import type { Data } from '../../../schema/definition.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'

/** @throws ValidationError, also if a rule can hide the published version of a visible draft */
export function parseState(
  { state, status }: Data,
  plan: ContentTypePlan,
  rules: Pick<QueryRules, 'readable'>,
): readonly EntryState[] {
  if (state === undefined) return []
  const is = ENTRY_STATES.find((one) => one === state)
  if (is === undefined) throw invalidValue('state', `expected one of ${ENTRY_STATES.join(', ')}`)
  if (!plan.draftAndPublish || status !== 'draft') {
    throw invalidValue('state', 'only drafts of types with draft & publish have one')
  }
  assertOtherVersionShown('state', plan, rules)
  return [is]
}
