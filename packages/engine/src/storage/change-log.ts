/**
 * The changed records by collection number. Null if there are too many. They may include records of
 * an undone write.
 */
export type Changes = ReadonlyMap<number, readonly number[] | null>

/** The changes since the last `take`, for caches that must read changed records again. */
export interface ChangeLog {
  add(collection: number, record: number): void
  take(): Changes
}

/** Above this number, reading the whole collection is faster. */
const MAX_LISTED_RECORDS = 10_000

export function createChangeLog(most = MAX_LISTED_RECORDS): ChangeLog {
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
