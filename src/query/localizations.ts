import type { ShapePlan, ContentTypePlan, RelationPlan } from '../schema/plan.ts'

/** The other locales of a document: every localized content-type has them, and declares them nowhere. */
export const LOCALIZATIONS = 'localizations'

/** Whether documents of it have locales. */
export function hasLocalizations(holder: ShapePlan): holder is ContentTypePlan {
  return 'localized' in holder && holder.localized === true
}

/** The localizations of a document as a relation: of all versions with its documentId, whatever their locale. */
export function localizationsRelation(plan: ContentTypePlan): RelationPlan {
  return {
    kind: 'relation',
    name: LOCALIZATIONS,
    relation: 'oneToMany',
    toMany: true,
    side: 'inverse',
    otherSide: 'documentId',
    targetUid: plan.uid,
    target: () => plan,
    private: false,
    required: false,
    localized: true,
  }
}
