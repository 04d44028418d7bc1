import type { AttributeHolder, AttributePlan, ContentTypePlan, ScalarPlan } from '../schema/plan.ts'

/** An attribute that an entry does not show by itself. */
export type Populatable = Exclude<AttributePlan, ScalarPlan> | Localizations

/** The other locales of a document: every localized content-type has them, and declares them nowhere. */
interface Localizations {
  readonly kind: 'localizations'
  readonly name: 'localizations'
  readonly plan: ContentTypePlan
}

const LOCALIZATIONS = 'localizations'

/** Everything that `*` means, in the order of the schema, `localizations` last. */
export function populatablesOf(holder: AttributeHolder): readonly Populatable[] {
  const declared = [...holder.members.values()].filter(isPopulatable)
  return isLocalized(holder) ? [...declared, localizationsOf(holder)] : declared
}

/** Null when there is none by this name, or it is private. */
export function getPopulatable(name: string, holder: AttributeHolder): Populatable | null {
  if (name === LOCALIZATIONS && isLocalized(holder)) return localizationsOf(holder)
  const member = holder.members.get(name)
  return member !== undefined && isPopulatable(member) ? member : null
}

function isPopulatable(member: AttributePlan): member is Exclude<AttributePlan, ScalarPlan> {
  return member.kind !== 'scalar' && !member.private
}

function localizationsOf(plan: ContentTypePlan): Localizations {
  return { kind: LOCALIZATIONS, name: LOCALIZATIONS, plan }
}

function isLocalized(holder: AttributeHolder): holder is ContentTypePlan {
  return 'localized' in holder && holder.localized === true
}
