import type { Entry } from './entries.ts'
import { rankTitle } from './rank-title.ts'

/** Sorts by the distance of the title to the text, then by the original order. */
export function rankFound(
  entries: readonly Entry[],
  titleOf: (entry: Entry) => string,
  text: string,
): readonly Entry[] {
  return entries
    .map((entry) => ({ entry, rank: rankTitle(titleOf(entry), text) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry)
}

/** A document appears once, in its best matching locale. */
export function oncePerDocument(entries: readonly Entry[]): readonly Entry[] {
  const byId = new Map<string, Entry>()
  for (const entry of entries) if (!byId.has(entry.documentId)) byId.set(entry.documentId, entry)
  return [...byId.values()]
}
