import { didYouMean } from '../base/near-miss.ts'
import type { ShapePlan, AttributePlan } from '../schema/plan.ts'
import { type QueryParameter, unknownKey, unusableKey } from './query-error.ts'

/** They exist in the reference, but queries cannot use them. */
const CREATOR_FIELDS: ReadonlySet<string> = new Set(['createdBy', 'updatedBy'])

/** `parent` is null at the root. Errors suggest only members that the caller `mayUse`. @throws ValidationError */
export function findMember(
  key: string,
  holder: ShapePlan,
  parent: string | null,
  param: QueryParameter,
  mayUse: (member: AttributePlan) => boolean,
): AttributePlan {
  const member = holder.members.get(key)
  if (member === undefined && !CREATOR_FIELDS.has(key)) {
    throw unknownKey(key, parent, param, didYouMean(key, usableNames(holder, mayUse)))
  }
  if (member === undefined || member.private) throw unusableKey(key, parent, param)
  return member
}

function usableNames(
  { members }: ShapePlan,
  mayUse: (member: AttributePlan) => boolean,
): readonly string[] {
  return [...members.values()]
    .filter((member) => !member.private && mayUse(member))
    .map(({ name }) => name)
}
