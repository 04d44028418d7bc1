import type { ShapePlan, AttributePlan, ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import { hasLocalizations, LOCALIZATIONS } from '../localizations.ts'

/** An attribute that an entry does not show by itself. */
export type Populatable = Exclude<AttributePlan, ScalarPlan> | Localizations | Users

interface Localizations {
  readonly kind: typeof LOCALIZATIONS
  readonly name: typeof LOCALIZATIONS
  readonly plan: ContentTypePlan
}

/** What uses a file: files have it, and declare it nowhere. */
interface Users {
  readonly kind: 'users'
  readonly name: typeof USERS
  readonly types: readonly ContentTypePlan[]
}

const USERS = 'related'

/** Everything that `*` means, in the order of the schema, `localizations` last. */
export function populatablesOf(holder: ShapePlan): readonly Populatable[] {
  const declared = [...holder.members.values()].filter(isPopulatable)
  if (hasLocalizations(holder)) return [...declared, localizationsOf(holder)]
  const users = usersOf(holder)
  return users === null ? declared : [...declared, users]
}

/** Null when there is none by this name, or it is private. */
export function getPopulatable(name: string, holder: ShapePlan): Populatable | null {
  if (name === LOCALIZATIONS && hasLocalizations(holder)) return localizationsOf(holder)
  const users = name === USERS ? usersOf(holder) : null
  if (users !== null) return users
  const member = holder.members.get(name)
  return member !== undefined && isPopulatable(member) ? member : null
}

function isPopulatable(member: AttributePlan): member is Exclude<AttributePlan, ScalarPlan> {
  return member.kind !== 'scalar' && !member.private
}

function localizationsOf(plan: ContentTypePlan): Localizations {
  return { kind: LOCALIZATIONS, name: LOCALIZATIONS, plan }
}

function usersOf(holder: ShapePlan): Users | null {
  const plan = holder as Partial<ContentTypePlan> // a component has none
  return plan.users === undefined ? null : { kind: 'users', name: USERS, types: plan.users() }
}
