import { isRecord } from '../../base/is-record.ts'
import type { UserDeletion } from '@quire/schema/attributes'
import { USER } from '../../people/accounts/users.ts'
import type { ContentTypePlan, RelationPlan } from '../../schema/plan.ts'

/** A relation of content to end users, stored with the content. */
export interface UserRelation {
  readonly plan: ContentTypePlan
  readonly attribute: RelationPlan
  readonly onUserDelete: UserDeletion
}

export function findUserRelations(
  contentTypes: ReadonlyMap<string, ContentTypePlan>,
): readonly UserRelation[] {
  return [...contentTypes.values()]
    .filter(({ uid, adopted }) => uid.startsWith('api::') && adopted === undefined)
    .flatMap((plan) =>
      [...plan.attributes.values()].flatMap((attribute): readonly UserRelation[] => {
        if (attribute.kind !== 'relation' || attribute.targetUid !== USER) return []
        if (attribute.side !== 'owner') return []
        return [{ plan, attribute, onUserDelete: attribute.onUserDelete ?? 'keep' }]
      }),
    )
}

/** The value of a relation after its users were removed, or replaced by another one. */
export function replaceUsers(value: unknown, users: readonly string[], to: string | null): unknown {
  if (Array.isArray(value)) {
    const replaced = value.map((one: unknown) => replaceUsers(one, users, to))
    return [...new Set(replaced)].filter((one) => one !== null)
  }
  return typeof value === 'string' && users.includes(value) ? to : value
}

/** Authors of versions are `{ kind, id }`. */
export function replaceAuthor(
  author: unknown,
  users: readonly string[],
  to: string | null,
): unknown {
  if (!isRecord(author) || author['kind'] !== 'user' || !namesUser(author['id'], users)) {
    return author ?? null
  }
  return to === null ? null : { ...author, id: to }
}

export function namesUser(value: unknown, users: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((one: unknown) => namesUser(one, users))
  return typeof value === 'string' && users.includes(value)
}
