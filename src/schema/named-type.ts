import type { Uid } from './definition.ts'
import type { ContentTypePlan, Schema } from './plan.ts'

type Types = Pick<Schema, 'contentTypes'>

/** The content-type with a uid of this or an earlier release, such as one in an archive. */
export function typeNamed({ contentTypes }: Types, uid: Uid): ContentTypePlan | undefined {
  const plans = [...contentTypes.values()]
  return (
    plans.find(({ declaredUid }) => declaredUid === uid) ??
    contentTypes.get(uid) ??
    plans.find(({ formerUids }) => formerUids.includes(uid))
  )
}

/** The type of entries to which blocks can link. Adopted types have documentIds of another form. */
export function linkableType(types: Types, uid: Uid): ContentTypePlan | null {
  const plan = typeNamed(types, uid)
  const isLinkable = plan?.uid.startsWith('api::') === true && plan.adopted === undefined
  return isLinkable ? plan : null
}

/** The uids of a type in this and earlier releases, without duplicates. */
export function uidsOfType({
  uid,
  declaredUid,
  formerUids,
}: Pick<ContentTypePlan, 'uid' | 'declaredUid' | 'formerUids'>): readonly Uid[] {
  return [...new Set([uid, declaredUid, ...formerUids])]
}

/** Roles store the uids of the database. Files may name those of the declarations. */
export function storedAction({ contentTypes }: Types, action: string): string {
  for (const { uid, declaredUid } of contentTypes.values()) {
    if (uid !== declaredUid && action.startsWith(`${declaredUid}.`)) {
      return `${uid}${action.slice(declaredUid.length)}`
    }
  }
  return action
}
