import type { ShapePlan, AttributePlan } from '../schema/plan.ts'
import { type QueryParameter, unknownKey, unusableKey } from './query-error.ts'

/** Creator fields exist in the dialect, and are never open to a query. */
const CREATOR_FIELDS: ReadonlySet<string> = new Set(['createdBy', 'updatedBy'])

/**
 * The member that a key names. `parent` is the dotted path of what holds it, null at the root.
 * @throws ValidationError when there is none, or it is private.
 */
export function findMember(
  key: string,
  holder: ShapePlan,
  parent: string | null,
  param: QueryParameter,
): AttributePlan {
  const member = holder.members.get(key)
  if (member === undefined && !CREATOR_FIELDS.has(key)) throw unknownKey(key, parent, param)
  if (member === undefined || member.private) throw unusableKey(key, parent, param)
  return member
}
