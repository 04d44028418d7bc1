import type { ShapePlan, AttributePlan, ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import { hasLocalizations, LOCALIZATIONS } from '../localizations.ts'

/** Entries show it only if populated. */
export type Populatable = Exclude<AttributePlan, ScalarPlan> | Localizations | Users

interface Localizations {
  readonly kind: typeof LOCALIZATIONS
  readonly name: typeof LOCALIZATIONS
  readonly plan: ContentTypePlan
}

/** Implicit attribute of files: the entries that use a file. */
interface Users {
  readonly kind: 'users'
  readonly name: typeof USERS
  readonly types: readonly ContentTypePlan[]
}

const USERS = 'related'

export function populatablesOf(holder: ShapePlan): readonly Populatable[] {
  const declared = [...holder.members.values()].filter(isPopulatable)
  if (hasLocalizations(holder)) return [...declared, localizationsOf(holder)]
  const users = usersOf(holder)
  return users === null ? declared : [...declared, users]
}

/** Null for an unknown or private attribute. */
export function getPopulatable(name: string, holder: ShapePlan): Populatable | null {
  if (name === LOCALIZATIONS && hasLocalizations(holder)) return localizationsOf(holder)
  const users = name === USERS ? usersOf(holder) : null
  if (users !== null) return users
  const member = holder.members.get(name)
  return member !== undefined && isPopulatable(member) ? member : null
}

/** A rule hides the attribute. It is left out like a relation to an unreadable type: the default populate may name it. */
export function isHidden(name: string, { members }: ShapePlan): boolean {
  const member = members.get(name)
  return member !== undefined && member.kind !== 'scalar' && member.isHidden === true
}

function isPopulatable(member: AttributePlan): member is Exclude<AttributePlan, ScalarPlan> {
  return member.kind !== 'scalar' && !member.private
}

function localizationsOf(plan: ContentTypePlan): Localizations {
  return { kind: LOCALIZATIONS, name: LOCALIZATIONS, plan }
}

function usersOf(holder: ShapePlan): Users | null {
  const plan = holder as Partial<ContentTypePlan> // components have none
  return plan.users === undefined ? null : { kind: 'users', name: USERS, types: plan.users() }
}
