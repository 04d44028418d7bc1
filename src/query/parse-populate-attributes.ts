import type { AttributeHolder, AttributePlan, ScalarPlan } from '../schema/plan.ts'

/** An attribute that an entry does not show by itself. */
export type Populatable = Exclude<AttributePlan, ScalarPlan> | typeof LOCALIZATIONS

/** Every localized content-type has it, and declares it nowhere. */
const LOCALIZATIONS = { kind: 'localizations', name: 'localizations' } as const

/** Everything that `*` means, in the order of the schema, `localizations` last. */
export function populatablesOf(holder: AttributeHolder): readonly Populatable[] {
  const declared = [...holder.members.values()].filter(isPopulatable)
  return isLocalized(holder) ? [...declared, LOCALIZATIONS] : declared
}

/** Null when there is none by this name, or it is private. */
export function getPopulatable(name: string, holder: AttributeHolder): Populatable | null {
  if (name === LOCALIZATIONS.name && isLocalized(holder)) return LOCALIZATIONS
  const member = holder.members.get(name)
  return member !== undefined && isPopulatable(member) ? member : null
}

function isPopulatable(member: AttributePlan): member is Exclude<AttributePlan, ScalarPlan> {
  return member.kind !== 'scalar' && !member.private
}

/** A component may declare a `locale` of its own, which is not the system's. */
function isLocalized({ members }: AttributeHolder): boolean {
  const locale = members.get('locale')
  return locale?.kind === 'scalar' && locale.system
}
