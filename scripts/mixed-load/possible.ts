export type Slot = 'draft:en' | 'draft:fr' | 'published:en' | 'published:fr'

export const SLOTS: readonly Slot[] = ['draft:en', 'draft:fr', 'published:en', 'published:fr']

/** A revision that a version may be of; null: there may be no such version. */
export type Possible = ReadonlySet<number | null>

export const NOTHING: Possible = new Set([null])

export function union(a: Possible, b: Possible): Possible {
  return new Set([...a, ...b])
}
