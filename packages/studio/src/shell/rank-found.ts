import type { Entry } from '../api/entries.ts'

/** Equal, beginning with it, with a word that begins with it, containing it, found by another text. */
function rankOf(title: string, wanted: string): number {
  if (title === wanted) return 0
  if (title.startsWith(wanted)) return 1
  if (title.includes(` ${wanted}`)) return 2
  return title.includes(wanted) ? 3 : 4
}

/** Those whose title is the nearest first, else as they came; each document once, in the language that is the nearest. */
export function rankFound(
  entries: readonly Entry[],
  titleOf: (entry: Entry) => string,
  text: string,
): readonly Entry[] {
  const wanted = text.toLowerCase()
  const ranked = entries
    .map((entry) => ({ entry, rank: rankOf(titleOf(entry).toLowerCase(), wanted) }))
    .toSorted((a, b) => a.rank - b.rank)
  const byId = new Map<string, Entry>()
  for (const { entry } of ranked) {
    if (!byId.has(entry.documentId)) byId.set(entry.documentId, entry)
  }
  return [...byId.values()]
}
