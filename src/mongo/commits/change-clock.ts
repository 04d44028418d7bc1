import type { CommitLog } from './commit-log.ts'
import type { ObservedLog } from './observe-log.ts'

/**
 * When the process came to know of changes, type by type: who keeps what was read asks it whether that still holds. Its
 * time is a count that grows with each change. What this process commits counts before it is acknowledged, what others
 * commit with the first look at the log that began after.
 */
export interface ChangeClock {
  /** To be taken before a read: what is read then holds until `hasChanged`. */
  readonly now: () => number
  readonly hasChanged: (types: Iterable<string>, since: number) => boolean
  /**
   * Sees to it that all is known that was acknowledged up to `staleMs` ago, looking at the log where the last look is
   * older; no command as long as it is not.
   */
  readonly settle: (staleMs: number) => Promise<void>
  close(): void
}

type WatchedLog = Pick<CommitLog, 'head' | 'look' | 'onLook' | 'onOwnCommit'>

/** So many commits are known by name; to forget them costs that they count twice. */
const MOST_KNOWN = 10_000

export function openChangeClock(log: WatchedLog): ChangeClock {
  const times = openTimes()
  const looks = openLooks(log)
  let logId = log.head().log // what was committed since is in the first look
  const see = ({ head, commits, isWhole, startedAt }: ObservedLog): void => {
    if (!isWhole || head.log !== logId) times.noteAll()
    for (const { id, types } of commits) times.noteNew([id], types)
    if (head.assigning !== null) times.noteNew(head.assigning.ids, typesOf(head.assigning.types))
    logId = head.log
    looks.done(startedAt)
  }
  const stops = [
    log.onLook(see),
    log.onOwnCommit((items, ids) => {
      times.note(ids, typesOf(items))
    }),
  ]
  return {
    now: times.now,
    hasChanged: times.hasChanged,
    settle: looks.settle,
    close: () => {
      for (const stop of stops) stop()
    },
  }
}

function typesOf(of: readonly { readonly type: string }[]): readonly string[] {
  return of.map(({ type }) => type)
}

/** When each type changed last, by a count of all changes. */
function openTimes() {
  let time = 1
  let allChanged = 0
  const changed = new Map<string, number>()
  /** Commits that have counted: each is seen without a number, then with one. */
  const counted = new Set<string>()
  const note = (ids: readonly string[], types: readonly string[]): void => {
    time += 1
    for (const type of types) changed.set(type, time)
    if (counted.size > MOST_KNOWN) counted.clear()
    for (const id of ids) counted.add(id)
  }
  return {
    now: () => time,
    note,
    noteNew: (ids: readonly string[], types: readonly string[]): void => {
      if (ids.some((id) => !counted.has(id))) note(ids, types)
    },
    noteAll: (): void => {
      time += 1
      allChanged = time
    },
    hasChanged: (types: Iterable<string>, since: number): boolean => {
      if (allChanged > since) return true
      for (const type of types) if ((changed.get(type) ?? 0) > since) return true
      return false
    },
  }
}

/** Looks at the log when what is known of it has become too old: one for all who may share it. */
function openLooks(log: Pick<WatchedLog, 'look'>) {
  let knownAt = -Infinity
  let looking: Looking | null = null
  const look = async (): Promise<void> => {
    const mine: Looking = { startedAt: performance.now(), ended: log.look() }
    looking = mine
    try {
      await mine.ended
    } finally {
      if (looking === mine) looking = null
    }
  }
  return {
    done: (startedAt: number): void => {
      knownAt = Math.max(knownAt, startedAt)
    },
    settle: async (staleMs: number): Promise<void> => {
      const least = performance.now() - staleMs
      if (knownAt >= least) return
      if (looking !== null && looking.startedAt >= least) await looking.ended
      else await look()
    },
  }
}

interface Looking {
  readonly startedAt: number
  readonly ended: Promise<unknown>
}
