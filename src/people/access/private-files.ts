import { pluginAction } from './actions.ts'
import type { Filter } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Principal } from './principal.ts'
import { authorOf } from './writing-for.ts'

const FILES = 'plugin::upload.content-api'

/** Stored with each file. Null for callers without an identity. */
export function uploaderOf(principal: Principal): string | null {
  const { kind, id } = authorOf(principal)
  return id === null ? null : `${kind}:${id}`
}

export function maySeePrivateFile(
  principal: Principal,
  { uploadedBy = null }: { readonly uploadedBy?: string | null },
): boolean {
  if (uploadedBy !== null && uploadedBy === uploaderOf(principal)) return true
  return mayFindPrivateFiles(principal)
}

/** End users and anonymous callers replace their own uploads only. The permission `upload` is enough for all others. */
export function mayReplaceFile(
  principal: Principal,
  { uploadedBy = null }: { readonly uploadedBy?: string | null },
): boolean {
  if (principal.kind !== 'user' && principal.kind !== 'anonymous') return true
  return uploadedBy !== null && uploadedBy === uploaderOf(principal)
}

/** Null for callers that find private files. Older files have no `private`, so the condition is negated. */
export function publicFilesOnly(principal: Reader, plan: ContentTypePlan): Filter | null {
  const attribute = plan.attributes.get('private')
  if (mayFindPrivateFiles(principal) || attribute?.kind !== 'scalar') return null
  return { kind: 'not', of: { kind: 'compare', attribute, operator: 'eq', operand: true } }
}

type Reader = Pick<Principal, 'kind' | 'grants'>

/** Never anonymous callers and previews, because many projects permit everyone to list public files. */
export function mayFindPrivateFiles(principal: Reader): boolean {
  if (principal.kind === 'anonymous' || principal.kind === 'preview') return false
  const verbs = ['find', 'findOne'] as const
  return verbs.some((verb) => principal.grants.has(pluginAction(FILES, verb)))
}
