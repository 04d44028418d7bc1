import { toStoredName } from '../schema/compile-attributes.ts'
import type { ShapePlan, ContentTypePlan, RelationPlan } from '../schema/plan.ts'

export const LOCALIZATIONS = 'localizations'

export function hasLocalizations(holder: ShapePlan): holder is ContentTypePlan {
  return 'localized' in holder && holder.localized === true
}

/** Matches all versions with the same documentId, in any locale. */
export function localizationsRelation(plan: ContentTypePlan): RelationPlan {
  return {
    kind: 'relation',
    name: LOCALIZATIONS,
    storedName: toStoredName(LOCALIZATIONS),
    formerNames: [],
    relation: 'oneToMany',
    toMany: true,
    side: 'inverse',
    otherSide: 'documentId',
    otherStored: () => toStoredName('documentId'),
    targetUid: plan.uid,
    target: () => plan,
    private: false,
    required: false,
    localized: true,
  }
}
