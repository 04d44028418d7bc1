export type Slot = 'draft:en' | 'draft:fr' | 'published:en' | 'published:fr'

export const SLOTS: readonly Slot[] = ['draft:en', 'draft:fr', 'published:en', 'published:fr']

/** Possible revisions of a version. Null means that it may not exist. */
export type Possible = ReadonlySet<number | null>

export const NO_VERSION: Possible = new Set([null])

export function unionPossible(a: Possible, b: Possible): Possible {
  return new Set([...a, ...b])
}
