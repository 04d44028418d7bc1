import type { Permission } from '../../../api/session.ts'

/** The locales of a role by type uid. Types without a restriction are absent. */
export type Bounds = Readonly<Record<string, readonly string[]>>

/** Returns the locales per type. The first action of a type decides. */
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
 * The permissions to save. A previously granted action keeps its locales, unless the locales of its
 * type were changed. A new action gets the locales of its type.
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

function uidOf(action: string): string {
  return action.slice(0, action.lastIndexOf('.'))
}
