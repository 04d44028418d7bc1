import type { Ledger } from './ledger.ts'
import type { NoteEntry } from './shapes.ts'

/**
 * All values derive from the key and the revision, so that a mixture of two writes is detectable.
 */
export function makeNote(key: string, revision: number, { folders }: Ledger): object {
  return {
    key,
    revision,
    total: revision,
    title: `${key} r${revision}`,
    parts: Array.from({ length: 1 + (revision % 3) }, () => ({ revision })),
    folder: folders[revision % folders.length],
  }
}

export const POPULATE_NOTE = 'populate[parts]=true&populate[folder][fields]=name'

/** Checks a version that was read with `POPULATE_NOTE`. Null if it is consistent. */
export function findNoteFault(entry: NoteEntry, { folders }: Ledger): string | null {
  const { key, revision, title, parts, folder } = entry
  const revisions = parts.map((part) => part.revision)
  const isWhole =
    title === `${key} r${revision}` &&
    revisions.length === 1 + (revision % 3) &&
    revisions.every((one) => one === revision) &&
    folder?.documentId === folders[revision % folders.length]
  return isWhole ? null : `a mix of two revisions: ${JSON.stringify(entry)}`
}
