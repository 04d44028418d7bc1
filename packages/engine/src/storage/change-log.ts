/**
 * By the number of the collection, the records that commits have changed; null where they are too many to be named.
 * A record of a write that was undone may be among them.
 */
export type Changes = ReadonlyMap<number, readonly number[] | null>

/** What was changed since it was last asked for: whoever keeps something of a record reads it again. */
export interface ChangeLog {
  add(collection: number, record: number): void
  take(): Changes
}

/** Beyond so many of a collection it is quicker to read all of it. */
const MOST_RECORDS = 10_000

export function changeLog(most = MOST_RECORDS): ChangeLog {
  let changed = new Map<number, Set<number> | null>()
  return {
    add: (collection, record) => {
      const records = changed.get(collection)
      if (records === null) return
      if (!records) changed.set(collection, new Set([record]))
      else if (records.size < most) records.add(record)
      else changed.set(collection, null)
    },
    take: () => {
      const taken = changed
      changed = new Map()
      return new Map([...taken].map(([id, records]) => [id, records && [...records]]))
    },
  }
}
