import type { CommitLog } from './commit-log.ts'
import type { ObservedLog } from './observe-log.ts'

export interface ChangeClock {
  readonly now: () => number
  readonly hasChanged: (types: Iterable<string>, since: number) => boolean
  /** Resolves when all commits acknowledged up to `staleMs` ago are known. */
  readonly settle: (staleMs: number) => Promise<void>
  close(): void
}

type WatchedLog = Pick<CommitLog, 'head' | 'look' | 'onLook' | 'onOwnCommit'>

/** Maximum number of remembered commit ids. A forgotten commit counts twice, which is harmless. */
const MAX_KNOWN = 10_000

export function openChangeClock(log: WatchedLog): ChangeClock {
  const times = openTimes()
  const looks = openLooks(log)
  let logId = log.head().log // the first look includes later commits
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

function openTimes() {
  let time = 1
  let allChanged = 0
  const changed = new Map<string, number>()
  const counted = new Set<string>()
  const note = (ids: readonly string[], types: readonly string[]): void => {
    time += 1
    for (const type of types) changed.set(type, time)
    if (counted.size > MAX_KNOWN) counted.clear()
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

/** `shareByKey` does not fit: each caller decides whether a poll is recent enough. */
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
