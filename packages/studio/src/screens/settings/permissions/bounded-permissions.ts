import type { Permission } from '../../../api/session.ts'

/** The locales that a role is bound to, by the uid of the type; those of no bound are left out. */
export type Bounds = Readonly<Record<string, readonly string[]>>

/** What permissions say of each type: of one that is bound in several ways what binds its first action. */
export function boundsOf(permissions: readonly Permission[]): Bounds {
  const bounds: Record<string, readonly string[]> = {}
  const seen = new Set<string>()
  for (const { action, locales } of permissions) {
    const uid = uidOf(action)
    if (seen.has(uid)) continue
    seen.add(uid)
    if (locales !== undefined) bounds[uid] = locales
  }
  return bounds
}

/**
 * The permissions to save: an action that was granted before stays bound as it was, unless the bound of its type was
 * changed; a new one is bound as its type is.
 */
export function boundedPermissions(
  granted: readonly string[],
  bounds: Bounds,
  before: readonly Permission[],
): readonly Permission[] {
  const known = boundsOf(before)
  return granted.map((action) => {
    const uid = uidOf(action)
    const bound = bounds[uid] ?? []
    const isChanged = [...bound].sort().join() !== [...(known[uid] ?? [])].sort().join()
    const held = before.find((one) => one.action === action)
    if (held !== undefined && !isChanged) return held
    return bound.length === 0 ? { action } : { action, locales: bound }
  })
}

/** `api::article.article.find` is about `api::article.article`. */
function uidOf(action: string): string {
  return action.slice(0, action.lastIndexOf('.'))
}
