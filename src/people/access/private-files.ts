import { pluginAction } from './actions.ts'
import { may } from './permissions.ts'
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

/** Never anonymous callers and previews, because many projects permit everyone to list public files. */
export function mayFindPrivateFiles(principal: Principal): boolean {
  if (principal.kind === 'anonymous' || principal.kind === 'preview') return false
  const verbs = ['find', 'findOne'] as const
  return verbs.some((verb) => may(principal, pluginAction(FILES, verb)))
}
