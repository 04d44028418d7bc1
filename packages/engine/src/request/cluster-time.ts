import { Timestamp } from 'bson'

/** The clock of `operationTime`. A later start of the engine continues after the times of an earlier one. */
export interface ClusterTime {
  /** Later than all times before. */
  next(): Timestamp
  hasReached(time: Timestamp): boolean
}

const MICROSECONDS = 1_000_000

function toTimestamp(microseconds: number): Timestamp {
  return new Timestamp({
    t: Math.floor(microseconds / MICROSECONDS),
    i: microseconds % MICROSECONDS,
  })
}

export function openClusterTime(now = (): number => Date.now()): ClusterTime {
  let last = 0
  return {
    next: () => {
      last = Math.max(last + 1, now() * 1_000)
      return toTimestamp(last)
    },
    hasReached: (time) => time.lessThanOrEqual(toTimestamp(Math.max(last, now() * 1_000))),
  }
}
