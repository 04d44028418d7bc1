import type { Entry } from '../api/entries.ts'
import { rankTitle } from '../api/rank-title.ts'

/** Those whose title is the nearest first, else as they came; each document once, in the language that is the nearest. */
export function rankFound(
  entries: readonly Entry[],
  titleOf: (entry: Entry) => string,
  text: string,
): readonly Entry[] {
  const ranked = entries
    .map((entry) => ({ entry, rank: rankTitle(titleOf(entry), text) }))
    .toSorted((a, b) => a.rank - b.rank)
  const byId = new Map<string, Entry>()
  for (const { entry } of ranked) {
    if (!byId.has(entry.documentId)) byId.set(entry.documentId, entry)
  }
  return [...byId.values()]
}
